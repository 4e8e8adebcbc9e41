"""NUM408: a typed figure that equals a computed one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from generator.checks.contract import Check, Tally, check
from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.findings import Edit, Finding, Fix, Location, Severity
from generator.knowledge.includes import prose
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.expressions.evaluator import Value
from generator.prose.expressions.vocabulary import LAYERS
from generator.prose.figure_owners import per_layer

_NUMBER = r"(?<![\d.,])(?P<number>\d[\d,]*(?:\.\d+)?)"
_FIGURES = (
    re.compile(rf"{_NUMBER} (?P<unit>B)/token\b"),
    re.compile(rf"{_NUMBER} (?P<unit>KiB)(?:/| per )token\b"),
    re.compile(rf"(?:(?<=B/token, or )|(?<=B/token \()|(?<=}}}}, or )|(?<=}}}} \()){_NUMBER} (?P<unit>KiB)\b(?!/)"),
    re.compile(rf"{_NUMBER} (?P<unit>billion)\b"),
)
"""What is typed as a size per token, also behind the same size in other units, or as a number of parameters."""
SIGNIFICANT = 3
"""Digits of a rounded figure that tell one size from another."""


@check("NUM408", Severity.INFO)
def typed_figure(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A figure that was typed although it can be computed.

    Why it matters
    A typed figure is right on the day it is typed. An expression follows the record, and opens its formula on the site.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      It grows by 320 B/token.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      It grows by {{ kv.growth('bf16') }}.
    ```

    How to fix
    Write the expression; the fix does it. At the end of a calculation that is spelled out it serves as well: the
    calculation is then checked against the computed value.
    """
    for record in tally.sound(kb, "model"):
        facts = kb.facts[record.id]
        for text in prose(kb.catalog, record):
            if text.path[-1] == "wrong":
                continue
            found = sorted((each for form in _FIGURES for each in form.finditer(text.value)), key=re.Match.start)
            places = record.document.places(text.span, text.value, ((each.start(), each[0]) for each in found))
            for each, span in zip(found, places, strict=True):
                tally.checked += 1
                expression = _expression(facts, each)
                if expression and span is not None:
                    where = record.location(span)
                    fix = _fix(where, expression, record.document.source(text.span))
                    yield this.finding(where, f"{each[0]} is computed: write {expression}", record.id, fix=fix)


def _fix(where: Location, expression: str, written: str) -> Fix | None:
    """The fix, with quotes that the text's own do not clash with; braces in a text without quotes may be YAML's."""
    if written[:1] not in ("|", ">", '"', "'"):
        return None
    text = expression.replace("'", '"') if written[0] == "'" else expression
    return Fix("write the expression", (Edit(where, text),))


def _expression(facts: Facts, typed: re.Match[str]) -> str:
    """The expression that gives a typed figure; empty where none does. Of several the plainest is taken."""
    digits, unit = typed["number"], typed["unit"]
    decimals = len(digits.partition(".")[2])
    if unit != "B" and len(re.sub(r"\D", "", digits).lstrip("0")) < SIGNIFICANT:
        return ""  # rounded so far, it may be anything
    if unit == "billion":
        return next((text for size, text in _counts(facts) if _rounds(size, 10**9, decimals, digits)), "")
    if unit == "KiB":
        found = next((text for size, text in _growths(facts) if _rounds(size, 1024, decimals, digits)), "")
        return found.replace(" }}", f" | kib({decimals}) }}}}")
    return next((text for size, text in _growths(facts) if grouped(size) == digits), "")


def _rounds(size: Fraction, unit: int, decimals: int, digits: str) -> bool:
    return str(Value(size / unit, decimals=decimals)) == digits


def _growths(facts: Facts) -> Iterator[tuple[Fraction, str]]:
    """The figures of a model in bytes per token, and the expressions that give them."""
    if facts.geometry is None:
        return
    for figure in facts.figures:
        yield figure.growth, f"{{{{ kv.growth('{figure.key}') }}}}"
    geometry = facts.geometry
    others = {"materialised": geometry.materialised_bytes_per_token, "naive": geometry.naive_gqa_bytes_per_token}
    yield from ((Fraction(size), f"{{{{ kv.{name} }}}}") for name, size in others.items() if size is not None)
    for long, sizes in per_layer(facts).items():
        kind = next((short for short, name in LAYERS.items() if name == long), long)
        for key, size in sizes.items():
            if len(grouped(size)) < SIGNIFICANT:
                continue  # eight bytes are many things
            yield size, f"{{{{ kv.layer('{kind}', '{key}') }}}}"


def _counts(facts: Facts) -> Iterator[tuple[Fraction, str]]:
    counted = facts.parameters
    if counted is not None and not isinstance(counted, NotDerivable):
        yield Fraction(counted.total), "{{ parameters.total | billion }}"
        yield Fraction(counted.active(True)), "{{ parameters.active | billion }}"
        yield Fraction(counted.active(False)), "{{ parameters.active_without_embedding | billion }}"
