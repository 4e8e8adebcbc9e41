"""The answers for one model as its page prints them: a row for each group of GPUs, and the gotchas that they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.catalog.records import Record
from generator.site.site import Site
from generator.site.views.verdicts import EngineVerdicts, GpuGroup

MOST_NAMED = 4
"""Up to so many kinds of GPU, the names of the GPUs are listed with them."""


@dataclass(frozen=True)
class Spot:
    """A kind of GPU in a row: its anchor where the row has it, its name, and its GPUs that belong to the row."""

    anchor: str
    name: str
    gpus: str


@dataclass(frozen=True)
class Row:
    """One group of GPUs with one chain."""

    group: GpuGroup
    spots: tuple[Spot, ...]
    everywhere: bool
    brief: str

    @property
    def named(self) -> bool:
        """Whether there are few enough to name each GPU."""
        return len(self.spots) <= MOST_NAMED


def rows(site: Site, model: Record) -> Iterator[tuple[Record, EngineVerdicts, list[Row]]]:
    """For each engine its answer and a row per group; each kind of GPU gets its anchor once."""
    for engine in site.answers.engines:
        answer = site.answers.of(model.id)[engine.id]
        taken: set[str] = set()
        yield engine, answer, [_row(site, answer, group, taken) for group in answer.groups]


def _row(site: Site, answer: EngineVerdicts, group: GpuGroup, taken: set[str]) -> Row:
    spots = []
    for place in site.answers.places:
        held = [id for id in place.gpus if id in group.gpus]
        if held:
            anchor = place.anchor(answer.engine)
            names = ", ".join(site.kb.catalog.records[id].title for id in held)
            spots.append(Spot("" if anchor in taken else anchor, place.shown, "" if names == place.shown else names))
            taken.add(anchor)
    everywhere = len(answer.groups) == 1
    return Row(group, tuple(spots), everywhere, site.answers.brief(answer, group))


@dataclass(frozen=True)
class Met:
    """A gotcha that a model meets on an engine: what it does there, and on which GPUs, empty for all."""

    engine: Record
    effect: str
    gpus: str


def gotchas(site: Site, model: Record) -> list[tuple[str, list[Met]]]:
    """The gotchas in a model's chains, and where."""
    found: dict[str, dict[tuple[str, str], dict[str, None]]] = {}
    for answer in site.answers.of(model.id).values():
        for group in answer.groups:
            for reason in group.reasons:
                if reason.rule == "gotcha" and isinstance(reason.value, str):
                    where = found.setdefault(reason.value, {}).setdefault((answer.engine, reason.effect), {})
                    where |= dict.fromkeys(group.gpus)
    records = site.kb.catalog.records
    return [
        (id, [Met(records[engine], effect, site.answers.where(gpus)) for (engine, effect), gpus in rows.items()])
        for id, rows in found.items()
    ]
