"""Which tokens belong to the expression before or behind an equals sign.

Prose puts words into formulas ("60 layers x 576"), remarks ("2 (K and V) x 8"), and dashes that look like a minus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.prose.arithmetic.intervals import FUNCTIONS
from generator.prose.reading.tokens import Token, TokenKind, words

_LINKS = words(
    "a an and as at but by for from has have if in into of on or over per so than that the then to via with without"
)
_AFTER_TIMES = words("the as more less smaller larger bigger higher lower of that what its and or for too")


def noise(all_tokens: Sequence[Token]) -> frozenset[int]:
    """Positions of unit words inside expressions: the `layers` of "60 layers x 576"."""
    found: set[int] = set()
    for at, token in enumerate(all_tokens):
        if token.kind is not TokenKind.NUMBER and token.kind is not TokenKind.CLOSE:
            continue
        end = at + 1
        while end < len(all_tokens) and end - at <= 3 and _is_noise(all_tokens[end]):
            end += 1
        end = _behind_remark(all_tokens, end)
        if at + 1 < end < len(all_tokens) and all_tokens[end].kind in (
            TokenKind.OPERATOR,
            TokenKind.RELATION,
            TokenKind.CLOSE,
        ):
            found.update(range(at + 1, end))
    return frozenset(found)


def _behind_remark(all_tokens: Sequence[Token], at: int) -> int:
    """The position behind brackets that hold words only: the remark of "2 (K and V) x 8"."""
    if at >= len(all_tokens) or all_tokens[at].kind is not TokenKind.OPEN:
        return at
    for end in range(at + 1, min(at + 8, len(all_tokens))):
        if all_tokens[end].kind is TokenKind.CLOSE:
            return end + 1 if end > at + 1 else at
        if all_tokens[end].kind not in (TokenKind.WORD, TokenKind.NAME) and all_tokens[end].text not in (",", "/", "+"):
            return at
    return at


def _is_noise(token: Token) -> bool:
    """Whether a token behind a number says what is counted: "8 KV heads"; a type ("4 fp32") has a width besides."""
    counted = token.kind is TokenKind.WORD or (
        token.kind is TokenKind.NAME and not any(char.isdigit() for char in token.text)
    )
    return counted and token.text.lower() not in _LINKS


def left_of(all_tokens: Sequence[Token], relation: int, skip: frozenset[int]) -> list[Token]:
    """The expression that ends before a position."""
    side: list[Token] = []
    depth = at = 0
    for at in range(relation - 1, -1, -1):
        token = all_tokens[at]
        if at in skip or (token.kind is TokenKind.ABOUT and side):
            continue
        if token.kind is TokenKind.OPEN:
            if depth == 0:
                break
            depth -= 1
        elif token.kind is TokenKind.CLOSE:
            if side and side[0].kind in (TokenKind.NUMBER, TokenKind.NAME, TokenKind.OPEN):
                break  # a remark in brackets before the expression
            depth += 1
        elif not _continues(token, all_tokens[at + 1], depth) or _beside(token, side):
            break
        side.insert(0, token)
    return [] if _goes_on(all_tokens, at, side) else _without_dash(side)


def _beside(token: Token, side: list[Token]) -> bool:
    """Whether a number stands before an operand without an operator between them."""
    return (
        bool(side)
        and token.kind is TokenKind.NUMBER
        and side[0].kind in (TokenKind.NUMBER, TokenKind.OPEN, TokenKind.NAME)
    )


def _goes_on(all_tokens: Sequence[Token], at: int, side: list[Token]) -> bool:
    """Whether the expression reaches further left than could be read: "0.1 x ln 40 + 1"."""
    stop, before = all_tokens[at], all_tokens[at - 1] if at else None
    if not side or stop is side[0]:
        return False
    if stop.kind is TokenKind.BREAK and stop.text:
        return True
    if stop.kind is TokenKind.NUMBER and (side[0].kind is TokenKind.NUMBER or stop.end == side[0].start):
        return True  # digits grouped by blanks, or a product without its sign
    if before is None or stop.kind not in (TokenKind.WORD, TokenKind.NAME):
        return False
    if stop.text == "of" and any(token.kind is TokenKind.NUMBER for token in all_tokens[max(0, at - 3) : at]):
        return True  # "60 layers of 576 x 2 bytes"
    return before.kind is TokenKind.OPERATOR and before.text != "-" and stop.text.lower() not in _LINKS


def _continues(token: Token, after: Token, depth: int) -> bool:
    """Whether a token may stand before `after` in one expression."""
    if token.kind in (TokenKind.NUMBER, TokenKind.OPERATOR, TokenKind.UNIT) or (token.text == "," and depth > 0):
        return True
    symbolic = token.kind is TokenKind.NAME or (token.kind is TokenKind.WORD and after.text != "-")
    operand = after.kind in (TokenKind.OPERATOR, TokenKind.CLOSE, TokenKind.RELATION) or (
        token.text in FUNCTIONS and after.text == "("
    )
    return symbolic and operand and token.text.lower() not in _LINKS


def _without_dash(side: list[Token]) -> list[Token]:
    """A hyphen between blanks at the beginning is a dash; a minus sign stands close to its number."""
    if len(side) > 1 and side[0].text == "-" and side[0].end < side[1].start:
        return side[1:]
    return side


def right_of(all_tokens: Sequence[Token], relation: int, skip: frozenset[int]) -> tuple[list[Token], int]:
    """The expression that begins behind a position, and the position behind it."""
    side: list[Token] = []
    depth, at = 0, relation + 1
    while at < len(all_tokens):
        token = all_tokens[at]
        if at in skip or (token.kind is TokenKind.ABOUT and not side):
            at += 1
            continue
        if token.kind is TokenKind.CLOSE:
            if depth == 0:
                break
            depth -= 1
        elif token.kind is TokenKind.OPEN:
            if side and side[-1].kind in (TokenKind.NUMBER, TokenKind.CLOSE):
                break
            depth += 1
        elif not _follows(token, side, depth):
            break
        side.append(token)
        at += 1
    side = _without_tail(side, all_tokens[at] if at < len(all_tokens) else None)
    return ([] if _continued(all_tokens, at) else side), at


def _continued(all_tokens: Sequence[Token], at: int) -> bool:
    """Whether an expression goes on behind words that cannot be read: "8 bytes UDP header + 20 bytes"."""
    if (
        0 < at < len(all_tokens)
        and all_tokens[at].kind is TokenKind.NUMBER
        and all_tokens[at - 1].kind is TokenKind.NUMBER
    ):
        return True  # digits grouped by blanks
    if at < len(all_tokens) and all_tokens[at].kind is TokenKind.BREAK and all_tokens[at].text:
        return True
    end = at
    while end < len(all_tokens) and end - at < 5 and all_tokens[end].kind in (TokenKind.WORD, TokenKind.NAME):
        if all_tokens[end].text.lower() in _LINKS:
            return False
        end += 1
    if end == at or end + 1 >= len(all_tokens) or all_tokens[end].kind is not TokenKind.OPERATOR:
        return False
    return all_tokens[end + 1].kind in (TokenKind.NUMBER, TokenKind.OPEN)


def _follows(token: Token, side: list[Token], depth: int) -> bool:
    last = side[-1].kind if side else TokenKind.OPERATOR
    operand_due = last in (TokenKind.OPERATOR, TokenKind.OPEN)
    if token.kind is TokenKind.NUMBER:
        return operand_due
    if token.kind is TokenKind.OPERATOR or token.kind is TokenKind.UNIT or (token.text == "," and depth > 0):
        return not operand_due or token.text in ("-", "−", "+")
    if (
        token.kind is TokenKind.WORD
        and side
        and side[-1].text in ("-", "*", "/")
        and _is_tail(side[-1].text, token.text.lower())
    ):
        return False
    return operand_due and token.kind in (TokenKind.NAME, TokenKind.WORD) and token.text.lower() not in _LINKS


def _is_tail(symbol: str, word: str) -> bool:
    """Whether an operator before a word is none: a dash, "56.9 x the", "bytes / token"."""
    return (
        symbol == "-" or (symbol == "*" and word in _AFTER_TIMES) or (symbol == "/" and word in ("token", "layer", "s"))
    )


def _without_tail(side: list[Token], after: Token | None) -> list[Token]:
    while side and side[-1].kind is TokenKind.OPERATOR and (after is None or after.kind is not TokenKind.NAME):
        side = side[:-1]
    return side


def variants(side: list[Token], first: bool) -> Iterator[list[Token]]:
    """A side as it reads, then without what a dash, a slash or a running result ("= 6 + 1 = 7") puts beside it."""
    yield side
    depth = 0
    for at, token in enumerate(side):
        depth += {TokenKind.OPEN: 1, TokenKind.CLOSE: -1}.get(token.kind, 0)
        if depth or token.kind is not TokenKind.OPERATOR or at == 0:
            continue
        if first and token.text == "-" and any(each.kind is TokenKind.OPERATOR for each in side[at + 1 :]):
            yield side[at + 1 :]
        if not first and token.text in ("-", "/", "+", "*"):
            yield side[:at]
