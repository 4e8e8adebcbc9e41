"""What a comparison is held against: both configs, what follows from them, and the words for their fields."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.derive.cited_config import agree
from generator.derive.facts import Facts
from generator.derive.parameters import Parameters
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.comparisons.sentence import Namesakes
from generator.prose.config_fields.words import SpokenField, SpokenFields


@dataclass(frozen=True)
class Reference:
    """The base, its names for models and its words for fields."""

    kb: KnowledgeBase
    names: Namesakes
    fields: SpokenFields

    @classmethod
    def of(cls, kb: KnowledgeBase) -> Reference:
        """Set up once for a run over all records."""
        return cls(kb, Namesakes.of(kb), SpokenFields.from_table(kb.catalog.tables.get("spoken_fields", {})))

    def facts(self, id: str | None) -> Facts | None:
        """What follows for a model; None where nothing does."""
        return self.kb.facts.get(id) if id else None

    def both(self, one: str | None, two: str | None) -> tuple[Facts, Facts] | None:
        """The facts of two different models."""
        first, second = self.facts(one), self.facts(two)
        return (first, second) if first and second and one != two else None

    def title(self, facts: Facts) -> str:
        """How messages call a model."""
        return self.kb.catalog.records[facts.id].title


@dataclass(frozen=True, slots=True)
class Beside:
    """One field in two configs that both state it."""

    field: SpokenField
    one: Any
    two: Any

    @property
    def equal(self) -> bool:
        """Whether the two say the same."""
        return agree(self.one, self.two)

    def __str__(self) -> str:
        if self.equal:
            return f"`{self.field.name}` ({_show(self.one)} in both)"
        return f"`{self.field.name}` ({_show(self.one)} against {_show(self.two)})"


def beside(fields: Iterable[SpokenField], one: Facts, two: Facts) -> list[Beside]:
    """The fields that both configs state. One that holds a list or an object is no single value to compare."""
    pairs = [(field, field.value(one.config), field.value(two.config)) for field in fields]
    return [Beside(field, a, b) for field, a, b in pairs if _plain(a) and _plain(b)]


def total(facts: Facts) -> int | None:
    """The parameters of a model's language part."""
    return facts.parameters.total if isinstance(facts.parameters, Parameters) else None


def number(value: Any) -> Fraction | None:
    """A value as a number to compare; a flag is none."""
    return None if isinstance(value, bool) or not isinstance(value, int | float | Fraction) else Fraction(str(value))


_LESS = r"smaller|fewer|lower|less|narrower|shorter|shallower"
_MORE = r"larger|bigger|higher|more|greater|wider|longer|deeper"
THAN = rf"(?P<cmp>{_LESS}|{_MORE})"
"""The pattern for a comparative."""


def less(comparative: str) -> bool:
    """Whether a comparative says that something is smaller."""
    return bool(re.fullmatch(_LESS, comparative, re.I))


def compares(comparative: str, one: Any, two: Any) -> bool:
    """Whether one value is smaller or larger than another, as a comparative says; not where either is no number."""
    first, second = number(one), number(two)
    return first is not None and second is not None and (first < second if less(comparative) else first > second)


def yarn_temperature(facts: Facts) -> str:
    """How strongly YaRN sharpens attention, as a formula; empty where the config does not say."""
    scaling = facts.config.get("rope_scaling") or facts.config.get("rope_parameters") or {}
    by, factor = number(scaling.get("mscale_all_dim")), number(scaling.get("factor"))
    if not by or not factor or factor <= 1:
        return ""
    return f"0.1 × {float(by):g} × ln {float(factor):g} + 1 = {0.1 * float(by) * math.log(float(factor)) + 1:.3f}"


def _plain(value: Any) -> bool:
    return value is not None and not isinstance(value, list | dict)


def _show(value: Any) -> str:
    exact = number(value)
    return str(value) if exact is None else grouped(exact)
