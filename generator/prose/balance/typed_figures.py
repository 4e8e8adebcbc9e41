"""Figures that were typed although they follow from a record: which of them a number is, by the words beside it.

A number may equal many figures of a model by chance, so the value alone says nothing: the sentence has to name the
format and the quantity, and nothing else that the number might belong to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.notation.units import grouped
from generator.prose.expressions.evaluator import Value
from generator.prose.expressions.vocabulary import LAYERS
from generator.prose.figure_owners import per_layer
from generator.prose.reading.quantities import COUNT, Quantity
from generator.prose.reading.sentences import sentence_at

SIGNIFICANT = 3
"""Digits of a rounded figure that tell one size from another."""
PIECES = re.compile(r"[,;:()]|\s(?:and|but|while|against|instead of|not)\s")
GROWTH = "growth"


@dataclass(frozen=True, slots=True)
class OwnFigure:
    """A figure of a model: its size, the expression that gives it, of what quantity and in which format it is."""

    size: Fraction
    expression: str
    quantity: str
    format: str | None


@dataclass(frozen=True, slots=True)
class Meant:
    """What a typed number is: the one expression that may stand there, or what to say instead; `wrong` if it is not the
    figure that the words name."""

    expression: str | None
    message: str
    wrong: bool = False


@dataclass(frozen=True)
class SpokenFigures:
    """Reads the words beside a number, by the table ``schema/spoken_figures.yaml``."""

    table: Mapping[str, Any]

    def meant(self, facts: Facts, text: str, typed: Quantity) -> Meant | None:
        """What a typed number is; None where it is no figure of the model, or may be one of something else."""
        count = typed.dimension == COUNT
        found = [figure for figure in (_counts if count else own_figures)(facts) if _is(figure, typed)]
        if not found:
            return None
        first, last = sentence_at(text, typed.start)
        sentence, piece = text[first:last], _piece(text, first, last, typed.start)
        if self._names(sentence.lower(), self.table.get("other", ())):
            return None
        if count:
            return self._count(found, sentence.lower(), typed)
        quantity = self._quantity(piece.lower()) or self._quantity(sentence.lower()) or GROWTH
        return self._size(facts, found, quantity, self._formats(facts, piece) or self._formats(facts, sentence), typed)

    def _size(
        self, facts: Facts, found: list[OwnFigure], quantity: str, formats: frozenset[str], typed: Quantity
    ) -> Meant | None:
        alike = [figure for figure in found if figure.quantity == quantity]
        known = formats & {figure.key for figure in facts.figures}
        if formats and not known:
            return None  # in a format that no row is of
        fits = [figure for figure in alike if figure.format in known or (figure.format is None and known <= {"bf16"})]
        if quantity == GROWTH and not known:
            return Meant(None, f"it is computed, and no format stands beside it: {_given(alike or found)}")
        if len(fits) == 1:
            return Meant(_written(fits[0], typed), f"it is computed: write {_written(fits[0], typed)}")
        if fits:
            return Meant(None, f"it is computed in several ways, and the words do not say which: {_given(fits)}")
        if quantity != GROWTH:
            return Meant(None, f"it is computed, but is not the figure that is named here: {_given(found)}")
        own = ", ".join(
            f"{grouped(figure.growth)} B/token in {figure.key}" for figure in facts.figures if figure.key in known
        )
        return Meant(None, f"it is {_given(found)}; this model takes {own}", wrong=True)

    def _count(self, found: list[OwnFigure], sentence: str, typed: Quantity) -> Meant:
        words = self.table.get("parameters", {})
        active = self._names(sentence, words.get("active", ()))
        without = self._names(sentence, words.get("without_embedding", ()))
        named = "active_without_embedding" if active and without else "active" if active else "total"
        if named == "total" and not self._names(sentence, words.get("total", ())):
            return Meant(None, f"it is computed, and no word says of what: {_given(found)}")
        fits = [figure for figure in found if figure.quantity == named]
        if len(fits) == 1:
            return Meant(fits[0].expression, f"it is computed: write {fits[0].expression}")
        return Meant(None, f"it is computed, but is not the count that is named here: {_given(found)}")

    def _quantity(self, words: str) -> str | None:
        return next(
            (name for name, forms in self.table.get("quantities", {}).items() if self._names(words, forms)), None
        )

    def _formats(self, facts: Facts, text: str) -> frozenset[str]:
        """The layouts that words name: by their keys, by other words for a plain type, or by a part of their keys."""
        keys = {figure.key for figure in facts.figures}
        words = {word.strip(".").lower() for word in re.findall(r"[\w+#.]+", text)}
        plain = {key for key, forms in self.table.get("formats", {}).items() if words & set(forms)}
        whole = {key for key in keys if key.lower() in words} | plain
        parts = {key for key in keys if words & set(re.split(r"[_+]", key.lower())) - _WORDS}
        return frozenset(whole or parts)

    @staticmethod
    def _names(text: str, words: Any) -> bool:
        return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in words)


_WORDS = frozenset({"token", "head", "per", "index", "ds", "v4", "v32", "mla"})
"""Parts of layouts' keys that sentences use for other things."""


def own_figures(facts: Facts) -> Iterator[OwnFigure]:
    """The figures of a model in bytes per token, and the expressions that give them."""
    if facts.geometry is None:
        return
    for figure in facts.figures:
        yield OwnFigure(figure.growth, f"{{{{ kv.growth('{figure.key}') }}}}", GROWTH, figure.key)
    geometry = facts.geometry
    others = {"materialised": geometry.materialised_bytes_per_token, "naive": geometry.naive_gqa_bytes_per_token}
    for name, whole in others.items():
        if whole is not None:
            yield OwnFigure(Fraction(whole), f"{{{{ kv.{name} }}}}", name, None)
    for long, sizes in per_layer(facts).items():
        kind = next((short for short, name in LAYERS.items() if name == long), long)
        for key, size in sizes.items():
            if len(grouped(size)) >= SIGNIFICANT:  # eight bytes are many things
                yield OwnFigure(size, f"{{{{ kv.layer('{kind}', '{key}') }}}}", "layer", key)


def _counts(facts: Facts) -> Iterator[OwnFigure]:
    counted = facts.parameters
    if counted is not None and not isinstance(counted, NotDerivable):
        sizes = {
            "total": counted.total,
            "active": counted.active(True),
            "active_without_embedding": counted.active(False),
        }
        for name, size in sizes.items():
            yield OwnFigure(Fraction(size), f"{{{{ parameters.{name} | billion }}}}", name, None)


def _is(figure: OwnFigure, typed: Quantity) -> bool:
    """Whether a number is the figure as it was typed; one that is rounded too far may be anything."""
    digits, symbol = _digits(typed), typed.unit.symbol if typed.unit else ""
    if symbol == "B":
        return grouped(figure.size) == digits
    if len(re.sub(r"\D", "", digits).lstrip("0")) < SIGNIFICANT or symbol not in ("KiB", "billion"):
        return False
    scale = 10**9 if symbol == "billion" else 1024
    return str(Value(figure.size / scale, decimals=len(digits.partition(".")[2]))) == digits


def _digits(typed: Quantity) -> str:
    written = re.match(r"[\d,.]+", typed.text.strip())
    return written[0] if written else ""


def _written(figure: OwnFigure, typed: Quantity) -> str:
    decimals = len(_digits(typed).partition(".")[2])
    plain = typed.unit is not None and typed.unit.symbol == "B"
    return figure.expression if plain else figure.expression.replace(" }}", f" | kib({decimals}) }}}}")


def _given(found: list[OwnFigure]) -> str:
    """Expressions that give a value, for a message."""
    shown = [figure.expression.strip("{ }") for figure in found[:3]]
    return f"what {' and '.join(shown)} gives" + (f", with {len(found) - 3} more" if found[3:] else "")


def _piece(text: str, first: int, last: int, at: int) -> str:
    """The part of a sentence between commas and the like in which a number stands."""
    ends = [first, *(first + match.end() for match in PIECES.finditer(text[first:last])), last]
    return next(text[low:high] for low, high in pairwise(ends) if low <= at < high)
