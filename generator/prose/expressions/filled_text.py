"""A text as its reader sees it: a value in the place of each expression, and the way back to what was typed."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from generator.catalog.records import Record
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.braces import Expression, find
from generator.prose.expressions.evaluator import ExpressionError, evaluate


@dataclass(frozen=True, slots=True)
class FilledText:
    """A text with its values. `values` are the expressions, each at its place in `value`: (start, end, expression)."""

    value: str
    values: tuple[tuple[int, int, Expression], ...] = ()

    def typed(self, at: int) -> int:
        """The place in the typed text of a character of the filled one; inside a value, where its expression begins."""
        number = bisect_right(self.values, at, key=lambda each: each[0])
        if not number:
            return at
        _, end, each = self.values[number - 1]
        return each.end + at - end if at >= end else each.start

    def expression(self, start: int, end: int) -> Expression | None:
        """The expression whose value, or a part of it, stands between two places."""
        return next((each for first, last, each in self.values if first < end and start < last), None)


def filled(kb: KnowledgeBase, record: Record, text: str) -> FilledText:
    """A text in a record with the values of its expressions; one that has none stays as it was typed."""
    parts, values, at, size = [], [], 0, 0
    for each in find(text):
        try:
            value = str(evaluate(kb, record, each.inner))
        except ExpressionError:
            continue
        parts += [text[at : each.start], value]
        size += each.start - at
        values.append((size, size + len(value), each))
        size, at = size + len(value), each.end
    return FilledText("".join([*parts, text[at:]]), tuple(values)) if values else FilledText(text)
