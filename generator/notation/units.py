"""Numbers as people read them: digit groups, bytes, binary units. Exact in, text out."""

from __future__ import annotations

from fractions import Fraction

POWERS = {"K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
"""The prefixes: powers of 1,000, and in binary units of 1,024."""

BINARY = ("B", *(f"{prefix}iB" for prefix in POWERS))
BYTES = {"B": 1} | {f"{at}B": 1000**n for at, n in POWERS.items()} | {f"{at}iB": 1024**n for at, n in POWERS.items()}
"""The bytes of each unit: a GB is 10^9, a GiB 2^30."""


def grouped(number: Fraction | int) -> str:
    """Digit groups, and the exact decimals where there are any.

    >>> grouped(69120), grouped(Fraction(15401, 4)), grouped(Fraction(1, 3))
    ('69,120', '3,850.25', '1/3')
    """
    value = Fraction(number)
    if value.denominator == 1:
        return f"{value.numerator:,}"
    rest, decimals = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        decimals = max(decimals, power)
    if rest != 1:
        return f"{value.numerator:,}/{value.denominator:,}"
    whole, fraction = divmod(abs(value) * 10**decimals, 10**decimals)
    return f"{'-' if value < 0 else ''}{int(whole):,}.{int(fraction):0{decimals}d}"


def binary(size: Fraction | int) -> str:
    """Bytes in the largest binary unit that keeps the figure at least 1, to three significant digits.

    >>> binary(69120), binary(7219838976), binary(512)
    ('67.5 KiB', '6.72 GiB', '512 B')
    """
    value = Fraction(size)
    step = 0
    while abs(value) >= 1024 and step < len(BINARY) - 1:
        value /= 1024
        step += 1
    if step == 0:
        return f"{grouped(value)} B"
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{float(value):,.{digits}f} {BINARY[step]}"


def number(value: Fraction | int) -> int | float:
    """A figure for JSON: an integer where it is one, else the nearest float (exact for our powers of two)."""
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else float(exact)


def percent(ratio: Fraction) -> str:
    """A signed change to one decimal.

    >>> percent(Fraction(70272, 69120) - 1)
    '+1.7 %'
    """
    return f"{float(ratio) * 100:+.1f} %"
