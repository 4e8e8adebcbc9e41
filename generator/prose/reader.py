"""The arithmetic of prose: statements that hold numbers against each other, evaluated exactly.

Precision comes first: what cannot be read for certain is "not checkable", never a guess. Texts and named values go in,
statements come out; nothing here sees a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from generator.prose.arithmetic.conversions import conversions
from generator.prose.arithmetic.equations import equations
from generator.prose.arithmetic.partitions import partitions
from generator.prose.arithmetic.ratios import ratios
from generator.prose.layers.counts import layer_counts
from generator.prose.layers.kinds import layer_kinds
from generator.prose.layers.lists import layer_statements
from generator.prose.reading.assertions import asserted, doubted
from generator.prose.reading.quantities import BYTES, Quantity, show
from generator.prose.reading.sentences import sentence_at, sentences
from generator.prose.reading.tokens import tokens
from generator.prose.statements import NOTHING, NamedValues, Statement, StatementKind

__all__ = [
    "NOTHING",
    "NamedValues",
    "Quantity",
    "Statement",
    "StatementKind",
    "asserted",
    "doubted",
    "figures",
    "read",
    "sentence_at",
    "sentences",
    "show",
]


Finder = Callable[[str, NamedValues], Iterator[Statement]]

_FINDERS: tuple[tuple[frozenset[StatementKind], Finder], ...] = (
    (frozenset((StatementKind.ARITHMETIC, StatementKind.CONVERSION)), equations),
    (frozenset((StatementKind.CONVERSION,)), conversions),
    (frozenset((StatementKind.PARTITION,)), partitions),
    (frozenset((StatementKind.PARTITION,)), layer_statements),
    (frozenset((StatementKind.PARTITION,)), layer_kinds),
    (frozenset((StatementKind.PARTITION,)), layer_counts),
    (frozenset((StatementKind.RATIO,)), ratios),
)


def read(
    text: str, names: NamedValues = NOTHING, kinds: Iterable[StatementKind] = tuple(StatementKind)
) -> list[Statement]:
    """Every statement of the asked kinds, in the order of their places.

    >>> [(s.kind.value, s.right) for s in read("60 × (512 + 64) × 2 = 70,272 B/token")]
    [('arithmetic', '69,120')]
    >>> [s.holds for s in read("that is 69,120 B (67.5 KiB)")]
    [True]
    """
    if not any(char.isdigit() for char in text) and "layer" not in text:
        return []
    asked = frozenset(kinds)
    found = [each for says, finder in _FINDERS if says & asked for each in finder(text, names) if each.kind in asked]
    return _once(sorted(found, key=lambda statement: (statement.start, statement.end)))


def _once(found: list[Statement]) -> list[Statement]:
    """Without the false ones that overlap an earlier one: "layer 2 ratio 0 (uncompressed)" is one mistake."""
    kept, end = [], 0
    for each in found:
        if each.holds is not False or each.start >= end:
            kept.append(each)
            end = each.end if each.holds is False else end
    return kept


def figures(text: str) -> Iterator[Quantity]:
    """The sizes that a text states, each with its unit; operands of expressions among them."""
    for token in tokens(text):
        if token.quantity is not None and token.quantity.dimension == BYTES:
            yield token.quantity
