"""NUM413: prose that has lost a value, or a part of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.catalog.records import Prose, Record, Text
from generator.checks.contract import Check, Tally, check
from generator.derive.facts import Facts
from generator.derive.parameters import Parameters
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.config_fields.words import SpokenFields
from generator.prose.damage import Damage, damages

_FILLER = r"(?:\s*+(?:is|are|was|of|has|have|about|roughly|around|to|size|count|[:=]))*+\s*+(?:[,;.)]\s*+)?$"
_NEAR = 120
"""Characters around a gap that may say what is missing there."""
_CLAUSE = re.compile(r"[.,;:]|\n\n")
_PARAMETERS = re.compile(
    rf"\bparameters?(?:\s+(?:count|total|number))?{_FILLER}|\bparameter\s+count\b[^.,;:]{{0,{_NEAR}}}[,;]?$", re.I
)
_ACTIVE = re.compile(rf"\bactiv\w{{1,20}}[^.;]{{0,{_NEAR}}}$")


@check("NUM413", Severity.WARNING)
def damaged_text(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A text has lost a value, breaks off, doubles a word, or holds a placeholder that nobody filled.

    Why it matters
    Formulas that were images vanish when a page is copied: "it has layers in total" is what is left of 40. Such a text
    reads as if it were whole until somebody needs the number. Told are blanks before a comma or full stop, labels
    without a value, counted things without a count, words that stand twice, brackets and quotation marks that stay
    open, `%s`, text glued to a citation, and a text that ends in "…". What stands in code is left alone. The pages of
    `docs/` are read like the prose of records.

    Bad
    ```yaml records/models/tiny-b.yaml
    notes: |
      It has layers in total.
    ```

    Good
    ```yaml records/models/tiny-b.yaml
    notes: |
      It has 5 layers in total.
    ```

    How to fix
    Read the place in the source again and write what is missing. Where this model's config knows the value, the message
    gives it, unless the paragraph speaks of a part of the model (`parts` in `schema/spoken_fields.yaml`). Code that
    looks so on purpose belongs in backticks.
    """
    words = SpokenFields.from_table(kb.catalog.tables.get("spoken_fields", {}))
    for kind in kb.catalog.kinds:
        for record in tally.sound(kb, kind.name):
            for text in kb.catalog.texts(record):
                if text.field is None or not text.field.schema.get("x-prose"):
                    continue
                tally.checked += 1
                for damage in damages(text.value):
                    yield _finding(this, record, text, damage, _known(kb.facts.get(record.id), words, text, damage))
    for page in kb.catalog.docs:
        tally.checked += 1
        for damage in damages(page.document.text):
            yield _on_page(this, page, damage)


def _on_page(this: Check, page: Prose, damage: Damage) -> Finding:
    text = page.document.text
    span = (*page.document.position(damage.start), *page.document.position(damage.end))
    shown = " ".join(text[damage.start : damage.end].split())
    return this.finding(page.location(span), f'"{shown}": {damage.what}')


def _finding(this: Check, record: Record, text: Text, damage: Damage, known: str) -> Finding:
    shown = text.value[damage.start : damage.end]
    first = shown.split("\n")[0]
    (span,) = record.document.places(text.span, text.value, [(damage.start, first)])
    message = f'"{" ".join(shown.split())}": {damage.what}{known}'
    return this.finding(record.location(span or text.span), message, record.id)


def _known(facts: Facts | None, words: SpokenFields, text: Text, damage: Damage) -> str:
    """What the config has for the thing whose value was lost."""
    if facts is None or not damage.gap:
        return ""
    before, after = text.value[max(0, damage.end - _NEAR) : damage.end], text.value[damage.end : damage.end + _NEAR]
    if damage.thing == "parameters" or _PARAMETERS.search(before):
        if _of_a_part(words, before, after):
            return ""
        active = "per token" in after[:20] or _ACTIVE.search(before)
        return _parameters(facts, active=bool(active))
    labels = [each for each in re.finditer(words.field_words, before, re.I) if _gap_follows(before[each.end() :])]
    if _of_a_part(words, before[: labels[-1].start()] if labels else before, after):
        return ""
    field = words.field(damage.thing or (labels[-1][0] if labels else ""))
    value = field.value(facts.config) if field else None
    if field is None or value is None or isinstance(value, list | dict | bool):
        return ""
    return f"; the config has `{field.name}` {value}"


def _of_a_part(words: SpokenFields, before: str, after: str) -> bool:
    """Whether a paragraph speaks of a part of the model where a value was lost: then the value is not the model's."""
    return words.of_a_part(before.rpartition("\n\n")[2], _CLAUSE.split(after, maxsplit=1)[0])


def _gap_follows(rest: str) -> bool:
    return bool(re.fullmatch(_FILLER, rest))


def _parameters(facts: Facts, *, active: bool) -> str:
    counted = facts.parameters
    if not isinstance(counted, Parameters):
        return ""
    if not active:
        return f"; the config adds up to {counted.total / 10**9:,.1f} billion ({grouped(counted.total)})"
    with_embedding, without = (counted.active(with_input_embedding=each) for each in (True, False))
    return (
        f"; by the config {without / 10**9:,.1f} billion are active, {with_embedding / 10**9:,.1f} with the embedding"
    )
