"""The knowledge base: everything that was written and everything that follows, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from generator.catalog.records import Catalog
from generator.compatibility import Cube, Listing, listings
from generator.derive.cited_config import config_keys
from generator.derive.config.keys import ConfigKeys
from generator.derive.facts import Facts
from generator.derive.model_facts import facts_of
from generator.derive.stored_formats import Formats, formats
from generator.findings import Fault, failure
from generator.knowledge.editions import Newer, newer_editions
from generator.knowledge.graph import CitationGraph
from generator.knowledge.model_names import ModelNames, names


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """What checks and pages are functions of. `today` decides what has expired. A base is equal to itself alone."""

    catalog: Catalog
    graph: CitationGraph
    keys: ConfigKeys
    formats: Formats
    facts: Mapping[str, Facts]
    listings: Mapping[tuple[str, str], Listing]
    today: date

    @cached_property
    def verdicts(self) -> Cube:
        """Every model, engine and GPU; worked out only where somebody asks."""
        return Cube(self.catalog, self.facts, self.formats, self.listings)

    @cached_property
    def names(self) -> ModelNames:
        """What prose calls each model."""
        return names(self.catalog)

    @cached_property
    def newer(self) -> Mapping[str, Newer]:
        """The newest edition of every source that the base has a newer one of."""
        return newer_editions(self.catalog)


def assemble(catalog: Catalog, today: date) -> KnowledgeBase:
    """The pass: from what was written to all that follows from it.

    A model of which something fails inside is a fault (INT901), and nothing is made of it; the others are.
    """
    keys, all_formats = config_keys(catalog), formats(catalog)
    facts: dict[str, Facts] = {}
    failed: list[Fault] = []
    for model in catalog.sound("model"):
        try:
            facts[model.id] = facts_of(catalog, model, keys, all_formats)
        except Exception as error:
            message = f"what follows from this record failed inside ({failure(error)}): please report it"
            failed.append(Fault("INT901", model.at(), message, model.id))
    if failed:
        unsound = catalog.unsound | {str(fault.record) for fault in failed}
        catalog = replace(catalog, faults=(*catalog.faults, *failed), unsound=unsound)
    return KnowledgeBase(
        catalog=catalog,
        graph=CitationGraph.of(catalog),
        keys=keys,
        formats=all_formats,
        facts=facts,
        listings=listings(catalog),
        today=today,
    )
