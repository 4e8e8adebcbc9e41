"""Two knowledge bases compared by what they publish, the later one read by the same generator as the earlier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from generator.knowledge.changes.cells import CellGroup, changed_cells
from generator.knowledge.changes.citations import CitationChange, changed_citations, changed_orphans
from generator.knowledge.changes.figures import FactChange, changed_facts
from generator.knowledge.changes.written import RecordChange, changed_records, changed_tables
from generator.knowledge.knowledge_base import KnowledgeBase


@dataclass(frozen=True, eq=False)
class BaseChanges:
    """What differs between two bases, each kind of thing the worst first."""

    before: KnowledgeBase
    after: KnowledgeBase
    records: tuple[RecordChange, ...]
    tables: tuple[str, ...]
    facts: tuple[FactChange, ...]
    cells: tuple[CellGroup, ...]
    citations: tuple[CitationChange, ...]
    orphans: tuple[str, ...]

    @property
    def cell_count(self) -> int:
        """All cells that differ."""
        return sum(len(group.cells) for group in self.cells)

    @cached_property
    def models(self) -> list[tuple[str, list[FactChange]]]:
        """The facts by model, the model with the worst change first, each one's facts likewise."""
        ordered = sorted(self.facts, key=lambda each: each.record)
        groups = [(id, sorted(each, key=lambda one: one.rank)) for id, each in groupby(ordered, lambda one: one.record)]
        return sorted(groups, key=lambda pair: (pair[1][0].rank[:2], pair[0]))

    def title(self, id: str) -> str:
        """The name of a record, as the later base has it, else the earlier one."""
        record = self.after.catalog.records.get(id) or self.before.catalog.records.get(id)
        return record.title if record else id

    @property
    def nothing(self) -> bool:
        """Whether all that is published stayed as it was; texts may have changed."""
        return not (self.facts or self.cells or self.citations or self.orphans or self._records)

    @property
    def _records(self) -> bool:
        return any(each.fields or each.fate != "changed" for each in self.records)

    def lost(self) -> Iterator[str]:
        """Records that were in the earlier base and cannot be read, or break their schema, in the later one."""
        now, then = self.after.catalog, self.before.catalog
        broken = now.unsound | (now.unreadable & then.records.keys())
        yield from sorted(broken - then.unsound)


def compare(before: KnowledgeBase, after: KnowledgeBase) -> BaseChanges:
    """All that differs. Records that are the same objects in both cost nothing."""
    records = changed_records(before.catalog, after.catalog)
    tables = changed_tables(before.catalog, after.catalog)
    return BaseChanges(
        before,
        after,
        tuple(records.values()),
        tables,
        changed_facts(before, after, records, tables),
        changed_cells((before, after), records, tables),
        changed_citations(before.graph, after.graph),
        changed_orphans(before.graph, after.graph),
    )
