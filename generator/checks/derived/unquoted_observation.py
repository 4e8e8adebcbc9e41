"""DRV310: an observation whose numbers its source does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.knowledge.observations import cited_id

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@check("DRV310", Severity.ERROR)
def unquoted_observation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A number of an observation is neither in the quotes nor in the facts of its source.

    Why it matters
    An observation is worth what its quote is worth. A figure that was typed from memory, converted or read of the next
    line agrees with nothing, or agrees by accident. Every value of the figure, and the tokens that it is for, must be
    found in the source's own words; digits may be grouped there.

    Bad
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
      - exact: 4,096 tokens take 2.5 MiB
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
      - exact: 4,096 tokens take 1.25 MiB
    ```

    How to fix
    Quote the line that has the number, exactly and shortly, under `quotes` of the source. A number that the thread says
    in words (128k) goes into the source's facts.
    """
    for record in tally.sound(kb, "observation"):
        source = kb.catalog.records.get(cited_id(record, "cite"))
        if source is None or source.id in kb.catalog.unsound:
            tally.skipped += 1
            continue
        said = set(_numbers(source))
        for place, value in _stated(record):
            tally.checked += 1
            if value not in said:
                told = f"{float(value):,g} is neither in the quotes nor in the facts of {source.id}"
                yield this.finding(record.at(*place), told, record.id, data={"source": source.id})


def _stated(record: Record) -> Iterator[tuple[tuple[str | int, ...], Fraction]]:
    for index, value in enumerate(record.get("figure")["values"]):
        yield ("figure", "values", index), Fraction(str(value))
    if record.get("tokens"):
        yield ("tokens",), Fraction(record.get("tokens"))


def _numbers(source: Record) -> Iterator[Fraction]:
    for quote in source.get("quotes") or ():
        for found in NUMBER.findall(quote["exact"]):
            yield Fraction(found.replace(",", ""))
    yield from _within(source.get("facts"))


def _within(value: Any) -> Iterator[Fraction]:
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _within(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Fraction(str(value))
