"""The value of a plain scalar: the YAML 1.2 core rules, stricter where a YAML 1.1 reader would see something else."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

_CONSTANTS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_LONGEST_NUMBER = 40
# An exponent counts as a number only with a sign: 12345678e9 may be a commit, 1e-06 is not.
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)\.(?:0|[0-9]*[1-9])|(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[eE][-+][0-9]+)\Z")
_OTHERS = "some YAML readers take {0} for "
_LOSES = "as a number {0} would lose digits that were typed"
_AMBIGUOUS = (
    (re.compile(r"(?:yes|no|on|off)\Z", re.I), "many YAML readers take {0} for a boolean"),
    (re.compile(r"[-+]?[0-9]*\.[0-9]*0\Z|[-+]?(?:[0-9]+\.|\.[0-9]+)\Z"), _LOSES),
    (re.compile(r"[-+]?0[0-9]+\Z"), _OTHERS + "an octal number"),
    (re.compile(r"[-+]?0[xob]_*[0-9a-fA-F][0-9a-fA-F_]*\Z"), _OTHERS + "a number in another base"),
    (re.compile(r"[-+]?[0-9][0-9.]*[eE][0-9]+\Z"), _OTHERS + "a number with an exponent"),
    (re.compile(r"[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?\Z"), _OTHERS + "a base-60 number"),
    (re.compile(r"[-+]?(?=[^_]*_)\.?[0-9][0-9_.]*(?:[eE][-+]?[0-9]+)?\Z"), _OTHERS + "a number with separators"),
    (re.compile(r"[-+]?\.(?:inf|nan)\Z", re.I), "{0} is not a number that a record can hold"),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"), _LOSES),
)
_MAYBE_SPECIAL = frozenset("+-.0123456789~ntfNTFyYoO")


def scalar(text: str) -> tuple[Any, str | None]:
    """The value of a plain scalar, and why it is ambiguous (then the value is the text itself).

    >>> scalar("61"), scalar("1e-06"), scalar("2026-11-29")
    ((61, None), (1e-06, None), ('2026-11-29', None))
    >>> scalar("1.10")[0], scalar("12345678e9")[0], scalar("NO")[0]
    ('1.10', '12345678e9', 'NO')
    """
    if text and text[0] not in _MAYBE_SPECIAL:
        return text, None
    if text in _CONSTANTS:
        return _CONSTANTS[text], None
    if len(text) <= _LONGEST_NUMBER:
        if _INT.match(text):
            return int(text), None
        if _FLOAT.match(text) and _keeps(text):
            return float(text), None
    for pattern, why in _AMBIGUOUS:
        if pattern.match(text):
            return text, why.format(text if len(text) <= _LONGEST_NUMBER else text[:_LONGEST_NUMBER] + "...")
    return text, None


def _keeps(text: str) -> bool:
    """Whether a float holds every digit that was typed."""
    return Decimal(repr(float(text))) == Decimal(text)
