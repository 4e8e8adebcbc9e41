"""DRV309: a figure that somebody observed against the derived one."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.knowledge.observations import Observed, compared
from generator.notation.units import grouped, number, percent


@check("DRV309", Severity.ERROR)
def observed_deviation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """An observed figure is not what the same setting gives here, and nothing says why.

    Why it matters
    What an engine writes into its log does not know this arithmetic: it is the one witness that can show it wrong. A
    plain or a latent cache must be within 1 % of the line, which is what rounding and whole blocks take; windows and
    states within 5 %. What is further off is either a mistake here or something else that an engine does, and then
    the record says what. A reason that nothing needs any more misleads as well.

    Bad
    ```yaml records/observations/tiny-seen.yaml
    # yaml-language-server: $schema=../../schema/observation.schema.json
    name: Tiny A, 4,096 tokens
    model: "[[tiny-a]]"
    engine: "[[tiny-engine]]"
    engine_version: "1.0"
    hardware: one tiny card
    measures: cache
    figure: {values: [2.5], unit: MiB}
    tokens: 4096
    format: bf16
    cite: "[[tiny-engine-issue]]"
    ```
    ```yaml sources/tiny-engine-issue.yaml
    quotes:
      - exact: 4096 tokens take 2.5 MiB
    ```

    Good
    ```yaml records/observations/tiny-seen.yaml
    # yaml-language-server: $schema=../../schema/observation.schema.json
    name: Tiny A, 4,096 tokens
    model: "[[tiny-a]]"
    engine: "[[tiny-engine]]"
    engine_version: "1.0"
    hardware: one tiny card
    measures: cache
    figure: {values: [1.25], unit: MiB}
    tokens: 4096
    format: bf16
    cite: "[[tiny-engine-issue]]"
    ```
    ```yaml sources/tiny-engine-issue.yaml
    quotes:
      - exact: 4096 tokens take 1.25 MiB
    ```

    How to fix
    Read the line again: its unit, how many GPUs it speaks of, which layers, which format. If the line is right and the
    engine keeps something else, say what under `deviates`, with what shows it. If the derived figure is wrong, that
    is a fault of Servebook: report it with the thread.
    """
    for record in tally.sound(kb, "observation"):
        one = compared(kb, record)
        if one.agrees is None:
            tally.not_checkable += 1
            continue
        tally.checked += 1
        explained = record.get("deviates") is not None
        if one.agrees == explained:
            yield _finding(this, one)


def _finding(this: Check, one: Observed) -> Finding:
    assert one.derived is not None
    assert one.deviation is not None
    both = f"{grouped(round(one.observed))} B were observed, {grouped(round(one.derived))} B are derived"
    by = f"{percent(one.deviation)}, where {percent(one.allowed).lstrip('+')} may differ"
    place = ("deviates",) if one.agrees else ("figure", "values")
    told = f"{both} ({by}): `deviates` explains a difference that is not there" if one.agrees else f"{both} ({by})"
    data = {"observed": number(one.observed), "derived": number(one.derived), "deviation": number(one.deviation)}
    return this.finding(one.record.at(*place), told, one.record.id, data=data)
