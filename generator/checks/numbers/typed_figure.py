"""NUM408: a typed figure that equals a computed one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from generator.checks.contract import Check, Tally, check
from generator.findings import Edit, Finding, Fix, Location, Severity
from generator.knowledge.includes import prose
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.typed_figures import SpokenFigures

_NUMBER = r"(?<![\d.,])(?P<number>\d[\d,]*(?:\.\d+)?)"
_FIGURES = (
    re.compile(rf"{_NUMBER} (?P<unit>B)/token\b"),
    re.compile(rf"{_NUMBER} (?P<unit>KiB)(?:/| per )token\b"),
    re.compile(rf"(?:(?<=B/token, or )|(?<=B/token \()|(?<=}}}}, or )|(?<=}}}} \()){_NUMBER} (?P<unit>KiB)\b(?!/)"),
    re.compile(rf"{_NUMBER} (?P<unit>billion)\b"),
)
"""What is typed as a size per token, also behind the same size in other units, or as a number of parameters."""


@check("NUM408", Severity.INFO)
def typed_figure(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A figure that was typed although it can be computed.

    Why it matters
    A typed figure is right on the day it is typed. An expression follows the record, and opens its formula on the site.
    It is offered only where the words beside the number name its format and quantity, and no other subject: a number
    may equal several figures of a model, and an expression for the wrong one would never be found again. Where the
    words name another figure than the number is, the model's own figure is told, as a warning.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      It grows by 320 B/token in bf16.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      It grows by {{ kv.growth('bf16') }} in bf16.
    ```

    How to fix
    Write the expression; the fix does it where the words leave no doubt. Name the format beside the number where none
    stands there, and correct a number or a word where they contradict each other. At the end of a calculation that is
    spelled out it serves as well: the calculation is then checked against the computed value.
    """
    spoken = SpokenFigures(kb.catalog.tables.get("spoken_figures", {}))
    for record in tally.sound(kb, "model"):
        facts = kb.facts[record.id]
        for text in prose(kb.catalog, record):
            if text.path[-1] == "wrong":
                continue
            others = partial(kb.names.mentioned, besides=record.id)
            found = sorted((each for form in _FIGURES for each in form.finditer(text.value)), key=re.Match.start)
            places = record.document.places(text.span, text.value, ((each.start(), each[0]) for each in found))
            for each, span in zip(found, places, strict=True):
                tally.checked += 1
                meant = spoken.meant(facts, text.value, each, others)
                if meant is not None and span is not None:
                    where = record.location(span)
                    source = record.document.source(text.span)
                    fix = _fix(where, meant.expression, source) if meant.expression else None
                    severity = Severity.WARNING if meant.wrong else None
                    yield this.finding(where, meant.message, record.id, fix=fix, severity=severity)


def _fix(where: Location, expression: str, written: str) -> Fix | None:
    """The fix, with quotes that the text's own do not clash with; braces in a text without quotes may be YAML's."""
    if written[:1] not in ("|", ">", '"', "'"):
        return None
    text = expression.replace("'", '"') if written[0] == "'" else expression
    return Fix("write the expression", (Edit(where, text),))
