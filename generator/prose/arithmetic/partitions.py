"""Wholes told off in parts: "3 sliding / 21 CSA / 20 HCA over 43 layers", "44 entries: 43 layers + 1"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from generator.prose.reading.quantities import COUNT, Quantity
from generator.prose.reading.tokens import Token, tokens, words
from generator.prose.reading.tokens import TokenKind as Is
from generator.prose.statements import NOTHING, NamedValues, Statement, StatementKind

_TOTAL = words("over of among across")
_NO_COUNT = words("of over by per to than layer layers index indices ratio ratios page pages from at")
_LINKS = words("a an and are as at by for from has have in into is on or per than that the to was with")
LARGEST = 10_000


@dataclass(frozen=True, slots=True)
class Share:
    """One part: how many, and of what."""

    quantity: Quantity
    nouns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _List:
    parts: tuple[Share, ...]
    separators: frozenset[str]
    end: int


def partitions(text: str, names: NamedValues = NOTHING) -> Iterator[Statement]:
    """All partitions of a text; the counts of kinds are compared with `names.kinds` as well."""
    found, behind = tokens(text), 0
    for at in range(len(found)):
        if at < behind or not _begins(found, at):
            continue
        listed = _parts(found, at)
        if len(listed.parts) < 2:
            continue
        behind = listed.end
        total = _total_behind(found, listed.end) or _total_before(found, at)
        statement = _sum(listed, total, names) if total else None
        if statement is not None and statement.holds is False:
            yield statement
        else:
            yield from [each for each in (_kinds(listed, names), statement) if each][:1]


# --- finding them ---------------------------------------------------------------------------------------------------


def _begins(found: Sequence[Token], at: int) -> bool:
    if not _count(found[at]):
        return False
    before = found[at - 1] if at else None
    if before is None or before.kind is Is.BREAK:
        return True
    if before.kind in (Is.OPERATOR, Is.RELATION, Is.NUMBER):
        return False
    return before.text.lower() not in _NO_COUNT


def _count(token: Token) -> bool:
    quantity = token.quantity
    if quantity is None or quantity.dimension != COUNT or quantity.unit is not None:
        return False
    return quantity.step == 1 and quantity.value < LARGEST


def _parts(found: Sequence[Token], at: int) -> _List:
    parts: list[Share] = []
    separators: set[str] = set()
    while True:
        quantity = found[at].quantity
        assert quantity is not None
        nouns, at = _nouns(found, at + 1)
        parts.append(Share(quantity, nouns))
        separator, after = _separator(found, at)
        if separator is None or after >= len(found) or not _count(found[after]):
            return _List(tuple(parts), frozenset(separators), at)
        separators.add(separator)
        at = after


def _nouns(found: Sequence[Token], at: int) -> tuple[tuple[str, ...], int]:
    nouns: list[str] = []
    while at < len(found) and len(nouns) < 3:
        token = found[at]
        if token.kind is Is.PLURAL or (token.kind in (Is.WORD, Is.NAME) and not _links(token)):
            nouns.append(token.text)
            at += 1
        else:
            break
    return tuple(nouns), at


def _links(token: Token) -> bool:
    return token.text.lower() in _LINKS or token.text in _TOTAL


def _separator(found: Sequence[Token], at: int) -> tuple[str | None, int]:
    if at >= len(found):
        return None, at
    text = found[at].text
    if text in ("/", "+"):
        return text, at + 1
    if text == ",":
        return ",", at + 1 + (at + 1 < len(found) and found[at + 1].text in ("and", "plus"))
    return (",", at + 1) if text in ("and", "plus") else (None, at)


def _total_behind(found: Sequence[Token], at: int) -> Quantity | None:
    """The number of "of 43" and "over 43 layers"."""
    if at + 1 < len(found) and found[at].text == "out":
        at += 1
    if at + 1 >= len(found) or found[at].text not in _TOTAL or not _count(found[at + 1]):
        return None
    return found[at + 1].quantity


def _total_before(found: Sequence[Token], at: int) -> Quantity | None:
    """The number of "43 layers: ..." and "43 layers (...)"."""
    if at < 2 or found[at - 1].text not in (":", "("):
        return None
    for back in range(at - 2, max(at - 6, -1), -1):
        if _count(found[back]):
            return found[back].quantity
        if found[back].kind not in (Is.WORD, Is.NAME) or found[back].text.lower() in _LINKS:
            return None
    return None


# --- judging them ---------------------------------------------------------------------------------------------------


def _sum(listed: _List, total: Quantity, names: NamedValues) -> Statement | None:
    values = [part.quantity.value for part in listed.parts]
    named = [part for part in listed.parts if part.nouns]
    before = total.start < listed.parts[0].quantity.start
    if not before and named and not listed.parts[-1].nouns:
        return None  # "160 routed + 2 shared experts, 6 of 160"
    if not named and len(values) < 3:
        return None
    if before and len(named) < len(values) and listed.separators != {"+"}:
        return None
    right = sum(values, Fraction(0))
    sides = (tuple(part.quantity for part in listed.parts), (total,))
    start = listed.parts[0].quantity.start
    end = listed.parts[-1].quantity.end if before else total.end
    if any(sum(values[:size]) == total.value for size in range(2, len(values) + 1)):
        return Statement(StatementKind.PARTITION, start, end, True, stated=total, sides=sides)
    if abs(right - total.value) > max(Fraction(2), total.value / 10):
        return None  # these numbers are no parts of that one
    why = f"{' + '.join(f'{value}' for value in values)} = {right}"
    known = [kind for kind in (_kind(part, names) for part in named) if kind]
    if len(known) > 1:
        why += f"; this model has {_counts(known, names)}"
    return Statement(StatementKind.PARTITION, start, end, False, f"{right}", why, total, sides=sides)


def _counts(kinds: list[str], names: NamedValues) -> str:
    return ", ".join(f"{names.kinds[kind]} {kind}" for kind in kinds)


def _kinds(listed: _List, names: NamedValues) -> Statement | None:
    """Parts that are kinds of layers, against how many of each the layers are."""
    known = [(part, kind) for part in listed.parts for kind in [_kind(part, names)] if kind]
    if len(known) < 2 or len({kind for _, kind in known}) < len(known):
        return None
    first, last = known[0][0].quantity, known[-1][0].quantity
    wrong = [(part, kind) for part, kind in known if part.quantity.value != names.kinds[kind]]
    used, sides = tuple(kind for _, kind in known), (tuple(part.quantity for part, _ in known),)
    if not wrong:
        return Statement(StatementKind.PARTITION, first.start, last.end, True, names=used, sides=sides)
    right = _counts(list(used), names)
    quantity = wrong[0][0].quantity
    return Statement(
        StatementKind.PARTITION, quantity.start, quantity.end, False, right, "the layers are", quantity, used, sides
    )


def _kind(part: Share, names: NamedValues) -> str | None:
    words = {word.lower() for word in part.nouns}
    return next((kind for kind in names.kinds if kind.lower() in words), None)
