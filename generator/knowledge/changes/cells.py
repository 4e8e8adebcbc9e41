"""Cells of the matrix that get another answer, grouped by what made them do so.

Only cells are worked out that can differ: those of a model that asks for something else, is listed otherwise or whose
claims may differ, of a GPU that differs, and of an engine of whose rules some record differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from generator.catalog.records import Catalog, Record
from generator.compatibility import Reason, Verdict, VerdictState
from generator.compatibility.chain import cited
from generator.knowledge.changes.written import Fate, RecordChange, causes_among
from generator.knowledge.knowledge_base import KnowledgeBase

Pair = tuple[KnowledgeBase, KnowledgeBase]
Key = tuple[str, str, str]

ORDER = (
    VerdictState.SUPPORTED,
    VerdictState.PARTIAL,
    VerdictState.LISTED,
    VerdictState.SOURCES_DISAGREE,
    VerdictState.NO_EVIDENCE,
    VerdictState.NOT_LISTED,
    VerdictState.BLOCKED,
)
"""The states from the one that promises most to the one that promises least."""

SERVED = (VerdictState.SUPPORTED, VerdictState.PARTIAL)
"""The states in which it matters which backend serves."""

ANY = ""
"""Stands for the engine where cells of several came or went together."""


@dataclass
class CellGroup:
    """Cells of one engine that went from one answer to another for one cause; None: there were, or are, none.

    An answer is a state and the backends that serve. `was` and `now` are the deciding steps of the first of the cells.
    """

    engine: str
    before: VerdictState | None
    after: VerdictState | None
    because: tuple[str, ...]
    served: tuple[str, ...] = ()
    serve: tuple[str, ...] = ()
    was: Reason | None = None
    now: Reason | None = None
    cells: list[Key] = field(default_factory=list)

    @property
    def models(self) -> tuple[str, ...]:
        """The models, each once."""
        return tuple(dict.fromkeys(model for model, _, _ in self.cells))

    @property
    def gpus(self) -> tuple[str, ...]:
        """The GPUs, each once."""
        return tuple(dict.fromkeys(gpu for _, _, gpu in self.cells))

    @property
    def rank(self) -> tuple[int, int, str]:
        """The worst first: what promised most and promises least now, then how many cells.

        Then cells that another backend serves, those that promise more now, and what came or went.
        """
        if self.before is None or self.after is None:
            return (len(ORDER), -len(self.cells), self.engine)
        loss = ORDER.index(self.after) - ORDER.index(self.before)
        return (min(-loss, 1), -len(self.cells), self.engine)


def changed_cells(pair: Pair, records: Mapping[str, RecordChange], tables: tuple[str, ...]) -> tuple[CellGroup, ...]:
    """The groups of cells that differ, the worst first."""
    if not records and not tables:
        return ()
    compared = _CellComparison(*pair, records, bool(tables))
    groups: dict[tuple[object, ...], CellGroup] = {}
    for key in compared.candidates():
        old, new = compared.verdicts(key)
        before, after = (each.state if each else None for each in (old, new))
        served, serve = (each.backends if each and each.state in SERVED else () for each in (old, new))
        if before is after and served == serve:
            continue
        because = compared.because(key, old, new) or tuple(f"{path}: changed" for path in tables)
        engine = key[1] if old and new else ANY
        at = (engine, before, after, because, *((served, serve) if before is after else ()))
        if at not in groups:
            was, now = (each.deciding if each else None for each in (old, new))
            groups[at] = CellGroup(engine, before, after, because, served, serve, was, now)
        groups[at].cells.append(key)
    return tuple(sorted(groups.values(), key=lambda group: group.rank))


@dataclass(frozen=True, eq=False)
class _CellComparison:
    """Two bases, and the records that differ between them."""

    before: KnowledgeBase
    after: KnowledgeBase
    records: Mapping[str, RecordChange]
    tables: bool

    @property
    def pair(self) -> Pair:
        return self.before, self.after

    def verdicts(self, key: Key) -> tuple[Verdict | None, Verdict | None]:
        """What each base says of a cell; None where it has no such cell."""
        old, new = (
            kb.verdicts[key] if key[:2] in kb.listings and key[2] in kb.verdicts.gpus else None for kb in self.pair
        )
        return old, new

    def candidates(self) -> Iterator[Key]:
        """The cells that can differ."""
        engines = sorted({id for kb in self.pair for _, id in kb.listings})
        gpus = sorted({id for kb in self.pair for id in kb.verdicts.gpus})
        other_gpus = [id for id in gpus if id in self.records]
        other_engines = {id for id in engines if self.tables or self.inputs(id) & self.records.keys()}
        for model in sorted({id for kb in self.pair for id, _ in kb.listings}):
            asks_else = self._asks_else(model)
            for engine in engines:
                old, new = (kb.listings.get((model, engine)) for kb in self.pair)
                whole = asks_else or engine in other_engines or old != new
                yield from ((model, engine, gpu) for gpu in (gpus if whole else other_gpus))

    def _asks_else(self, model: str) -> bool:
        """Whether a model may get other answers for its own sake."""
        if model in self.records or not all(model in kb.facts for kb in self.pair):
            return True
        if self.after.catalog.records[model].get("serving") and self.cited_by(model) & self.records.keys():
            return True
        return self.before.verdicts.asks(model) != self.after.verdicts.asks(model)

    def cited_by(self, model: str) -> set[str]:
        """What a model cites in either base."""
        return {id for kb in self.pair if model in kb.catalog.records for id in kb.graph.neighbours(model)[1]}

    def inputs(self, engine: str) -> frozenset[str]:
        """The records that the rules of an engine are made from: it, its backends, kernels, gotchas, their sources."""
        if engine not in self._known_inputs:
            self._known_inputs[engine] = frozenset(id for kb in self.pair for id in _inputs(kb.catalog, engine))
        return self._known_inputs[engine]

    @cached_property
    def _known_inputs(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _says(self) -> frozenset[str]:
        """The records that say something else, by which a cell can have changed."""
        return frozenset(id for id, record in self.records.items() if record.says)

    @cached_property
    def _causes(self) -> Callable[..., tuple[str, ...]]:
        """The causes among some records; many cells have the same."""
        return cache(lambda *ids: tuple(causes_among(self.records, ids)))

    def because(self, key: Key, old: Verdict | None, new: Verdict | None) -> tuple[str, ...]:
        """The records that made a cell change: those that came or went, else those that its changed steps name."""
        whole = [id for id in key if id in self.records and self.records[id].fate is not Fate.CHANGED]
        if whole:
            return self._causes(*whole)
        one, other = (each.reasons if each else () for each in (old, new))
        steps = [step for step in (*other, *one) if (step in other) is not (step in one)]
        named = [id for id in _named(steps) if id in self._says]
        model, engine, gpu = key
        own = [id for id in (model, gpu, *sorted(self.cited_by(model))) if id in self._says]
        return self._causes(*(named or own or sorted(self.inputs(engine))))


def _inputs(catalog: Catalog, engine: str) -> Iterator[str]:
    for kind in ("engine", "backend", "kernel", "gotcha"):
        for record in catalog.of(kind):
            if record.id == engine or _about(record, engine):
                yield record.id
                for text in catalog.texts(record):
                    yield from cited(text.value) if text.value.startswith("[[") else ()


def _about(record: Record, engine: str) -> bool:
    """Whether the rules of an engine read a record: one that names another engine alone is not read."""
    if record.kind in ("engine", "kernel"):
        return record.kind == "kernel"
    rows = record.get("conditions") if record.kind == "gotcha" else [record.data]
    named = [cited(row.get("engine")) for row in (rows if isinstance(rows, list) else ()) if isinstance(row, Mapping)]
    return any(each in ((), (engine,)) for each in named)


def _named(steps: Iterable[Reason]) -> Iterator[str]:
    """The records that steps name: what they rest on, and the backend, gotcha or kernel that they are about."""
    for step in steps:
        yield from step.cites
        values = step.value.values() if isinstance(step.value, Mapping) else [step.value]
        yield from (value for value in values if isinstance(value, str))
