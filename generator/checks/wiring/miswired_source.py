"""WIR201: a record that cites another subject's document."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.cited_config import CitedConfig
from generator.findings import Finding, Related, Severity
from generator.knowledge.evidence.config_comparison import Comparison, compare, growth_of
from generator.knowledge.evidence.subjects import candidates, foreign_citations, subject_citations
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped, number, percent


@check("WIR201", Severity.ERROR)
def miswired_source(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A record cites a document that is about something else.

    Why it matters
    Two configs can agree in every field that sizes the cache and still be of two models: a DeepSeek-V2 record that
    cited DeepSeek-V3's config went unnoticed for months, since only the layer counts differed. What a source is
    about is declared in its `subjects`, so the wrong citation shows even where no figure does.

    Bad
    ```yaml records/models/tiny-a.yaml
    config: "[[tiny-b-config]]"
    ```
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      Keys and values of all heads are kept as one latent row.
    cites: ["[[tiny-b-config]]"]
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    config: "[[tiny-a-config]]"
    ```

    How to fix
    Cite the source that the message names; the fix does it. If no source declares the record's subject, add one:
    `servebook new source ID`.
    """
    for kind in kb.catalog.kinds:
        for record in kb.catalog.of(kind.name):
            for citation, subject, source in subject_citations(kb, record):
                if record.id in kb.catalog.unsound or source.id in kb.catalog.unsound:
                    tally.skipped += 1
                elif subject is None:
                    tally.not_checkable += 1
                else:
                    tally.checked += 1
                    if subject not in (source.get("subjects") or []):
                        yield _finding(this, kb, record, citation, subject, source)
            yield from _foreign(this, kb, tally, record)


def _foreign(this: Check, kb: KnowledgeBase, tally: Tally, record: Record) -> Iterator[Finding]:
    """Evidence whose subject the citing field does not name, but that declares another one of the record's kind."""
    for citation, subject, source in foreign_citations(kb, record):
        if record.id in kb.catalog.unsound or source.id in kb.catalog.unsound:
            tally.skipped += 1
            continue
        tally.checked += 1
        if subject is not None:
            yield _finding(this, kb, record, citation, subject, source)


def _finding(
    this: Check, kb: KnowledgeBase, record: Record, citation: Citation, subject: str, cited: Record
) -> Finding:
    better = candidates(kb, record, citation, subject, cited)
    best = better[0] if better else None
    relied_on = record.get("architecture") or {}
    right, wrong = CitedConfig(best).flat if best else dict(relied_on), CitedConfig(cited).flat
    comparison = compare(relied_on, right, wrong)
    effect = _effect(kb, {**right, **relied_on}, wrong) if record.kind == "model" else {}
    orphaned = best is not None and best.id in kb.graph.orphans()
    # Under the wrong document the cache may not be derivable, nor expressions have a value: the same mistake.
    underived = [(code, record.id) for code in ("DRV302", "NUM409", "NUM414") if citation.path == ("config",)]
    # A list of further sources need not repeat what the record cites elsewhere; a field with one citation must have it.
    already = {each.target for each in kb.graph.cites(record.id)} if isinstance(citation.path[-1], int) else set()
    related = [Related(cited.at("subjects"), "the cited source declares its subject here")]
    named = best is not None and best.id in already
    if best:
        related.append(Related(best.at("subjects"), "the source that fits declares the record's subject"))
    return this.finding(
        citation.location,
        _message(record, subject, cited, None if named else best, orphaned, comparison, effect, named),
        record.id,
        related,
        citation.fix(best.id) if best and not named else None,
        {
            "cited": cited.id,
            "expected_subject": subject,
            "cited_subjects": list(cited.get("subjects") or []),
            "suggested": best.id if best else None,
            "candidates": [source.id for source in better],
            "discriminating": comparison.discriminating,
            "shared": comparison.shared,
            "absent": comparison.absent,
            "elsewhere": comparison.elsewhere,
            "derived_effect": {
                name: [None if value is None else number(value) for value in pair] for name, pair in effect.items()
            },
            "absorbs": [*(("CIT102", source.id) for source in better), *underived],
        },
    )


def _effect(kb: KnowledgeBase, right: dict[str, Any], cited: dict[str, Any]) -> dict[str, list[Fraction | None]]:
    """What the record derives, and what it would derive under the cited document; equal effects are shown, too."""
    return {"kv_growth_bf16": [growth_of(kb, right), growth_of(kb, cited)]}


def _message(
    record: Record,
    subject: str,
    cited: Record,
    best: Record | None,
    orphaned: bool,
    comparison: Comparison,
    effect: dict[str, list[Fraction | None]],
    named: bool,
) -> str:
    about = ", ".join(cited.get("subjects") or []) or "no declared subject"
    parts = [f"this record is {subject}, but it cites {cited.id}, which is about {about}"]
    if subject.lower() in (other.lower() for other in cited.get("subjects")):
        parts.append("only the case differs, and it counts: correct the one that is wrong")
    elif named:
        parts.append("take it out, or name the sources that this record rests on")
    elif best is None:
        parts.append(f"no source on record declares {subject}: add one and cite it")
    else:
        parts.append(f"{best.id} declares {subject}" + (" and nobody cites it" if orphaned else "") + ": cite it")
    if comparison.discriminating:
        pairs = (f"{key} {_short(one)} / {_short(two)}" for key, (one, two) in comparison.discriminating.items())
        parts.append("right / cited: " + ", ".join(pairs))
    elif comparison.shared and not comparison.absent:
        parts.append("the two differ in no field that the record relies on, only in the declared subject")
    if comparison.absent:
        parts.append(f"the cited one has no {', '.join(comparison.absent)}")
    if comparison.discriminating and comparison.shared:
        parts.append(f"the same in both, so no proof of either: {', '.join(comparison.shared)}")
    parts += [_effect_text(right, wrong) for right, wrong in effect.values() if right is not None and wrong is not None]
    return "; ".join(parts)


def _effect_text(right: Fraction, cited: Fraction) -> str:
    change = f", {percent(cited / right - 1)}" if right else ""
    same = "the same under the cited source" if right == cited else f"under the cited source {grouped(cited)}{change}"
    return f"KV growth in bf16 is {grouped(right)} B/token, {same}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."
