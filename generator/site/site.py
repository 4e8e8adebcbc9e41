"""The view of a knowledge base that pages are written from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

from generator.catalog.records import Record, fragments
from generator.compatibility import Listing
from generator.derive.cited_config import CitedConfig
from generator.derive.config.fields import NotDerivable
from generator.findings import Finding, Severity, failure
from generator.knowledge.evidence.impact import Impact, impacts
from generator.knowledge.graph import Citation
from generator.knowledge.observations import Observed, comparisons
from generator.site.html import prose as typesetting
from generator.site.html import render
from generator.site.html.linker import Linker
from generator.site.html.page import Page, each_anchor_once
from generator.site.memory import Memory, figure_inputs, shown_names
from generator.site.views.gotcha_join import GotchaJoin
from generator.site.views.verdict_sums import Summary
from generator.site.views.verdicts import VerdictGroups

UNVERIFIED = ("excerpt", "unreadable", "secondary")
"""Ways of retrieval after which a source is not verified: it was never read whole."""


@dataclass(frozen=True)
class Site(Linker):
    """A knowledge base as pages see it: how records are linked, cited and marked. It decides nothing.

    `findings` are shown on the pages of the records that they are about; `texts` holds the files that could not be
    read; `memory` has the pages of the build before, in a live preview.
    """

    findings: Sequence[Finding] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    memory: Memory | None = None
    failures: list[str] = field(default_factory=list)
    """What failed inside while pages were made, a line each; such a site is not published."""

    # --- pages ---

    def page(self, path: str, title: str, template: str, **more: Any) -> Page:
        """A page from a template. What is named like a field of `Page` goes there, the rest to the template."""
        known = {name: more.pop(name) for name in tuple(more) if name in Page.__dataclass_fields__}
        html = render.environment().get_template(template).render(site=self, kb=self.kb, title=title, **more)
        return Page(path, render.clip(title), each_anchor_once(html), **known)

    def record_page(self, record: Record, template: str, **more: Any) -> Page:
        """The page of a record: its anchors complete, its file named, its errors on top."""
        more = {"search": self.search_entry(record), **more}
        kind = self.kb.catalog.kinds[record.kind]
        more.setdefault("description", f"{render.clip(record.title, 100)}: {kind.title.lower()}")
        page = self.page(self.path(record), record.title, template, record=record, kind=kind, **more)
        return page.with_anchors(fragments(record))

    def failed_page(self, path: str, file: str, error: Exception) -> Page:
        """The page shown in place of one that failed inside; the failure is noted."""
        said = failure(error)
        self.failures.append(f"{file}: its page {path} failed inside ({said}): please report it")
        return self.page(path, file, "failed.html", file=file, said=said, description=f"{file}: failed")

    def search_entry(self, record: Record, *sections: tuple[str, str, str], names: Iterable[str] = ()) -> str:
        """What the search index gets of a record: what it is called; sections are (anchor, heading, text)."""
        aliases = [str(alias) for alias in record.get("aliases") or () if isinstance(alias, str)]
        words = " | ".join(dict.fromkeys([record.id, *aliases, *names]))
        first = Markup('<h1 id="{}">{}</h1><p>{}</p>').format(record.id, record.title, words)
        return first + Markup("").join(Markup('<h2 id="{}">{}</h2><p>{}</p>').format(*section) for section in sections)

    @property
    def families(self) -> Mapping[str, str]:
        """The title of each family of attention."""
        return {name: row["title"] for name, row in self.kb.catalog.tables.get("families", {}).items()}

    def errors(self, record: Record | None) -> list[Finding]:
        """The errors of a record, or of no record in particular."""
        id = record.id if record else None
        return [found for found in self.findings if found.record == id and found.severity is Severity.ERROR]

    def excerpt(self, finding: Finding, around: int = 2) -> list[tuple[int, str, bool]]:
        """The lines of the authored file about a finding: number, text, whether it is the line."""
        record = next((one for one in self.kb.catalog.records.values() if one.path == finding.location.path), None)
        text = record.document.text if record else self.texts.get(finding.location.path, "")
        lines = text.splitlines()
        first = max(1, finding.location.line - around)
        last = min(len(lines), finding.location.line + around)
        return [
            (number, render.clip(lines[number - 1], 200), number == finding.location.line)
            for number in range(first, last + 1)
        ]

    # --- addresses and citations ---

    def prose(self, text: str, record: Record | None = None) -> Markup:
        """A prose field as HTML; what it computes or includes is computed for the record that it is in."""
        return typesetting.prose(self, text, record)

    def line(self, text: str) -> Markup:
        """A plain text as HTML, its citations as links."""
        return typesetting.line(self, text)

    # --- marks ---

    def reason(self, text: str | None) -> Markup:
        """Why something is not derivable; words in backticks are code."""
        return render.markdown(text or "no reason was given", inline=True)

    def doubts(self, model: Record) -> list[tuple[str, str]]:
        """What the cache figures of a model rest on that a reader should know: a mark, and what it means here."""
        facts = self.kb.facts[model.id]
        return [] if facts.no_figure else self._doubts(model, facts.assumed)

    def doubts_of_count(self, model: Record) -> list[tuple[str, str]]:
        """The same for the number of parameters and the bytes of the weights."""
        counted = self.kb.facts[model.id].parameters
        return [] if counted is None or isinstance(counted, NotDerivable) else self._doubts(model, counted.assumed)

    def _doubts(self, model: Record, filled: Mapping[str, Any]) -> list[tuple[str, str]]:
        source = CitedConfig.of(self.kb.catalog, model).source
        found: list[tuple[str, str]] = []
        if source and self.unverified(source):
            found.append(("unverified", f"The config was never read whole: {source.get('retrieval')}"))
        if source and source.get("complete") is False:
            found.append(("gaps", "The copy of the config has gaps; what they held is not known"))
        if filled:
            found.append(("class default", f"The config is silent on {', '.join(filled)}; its class sets it"))
        elif model.get("evidence_basis") == "class-defaults":
            found.append(("class default", "The evidence is a class, not the config file itself"))
        return found

    def unverified(self, source: Record | None) -> bool:
        """Whether a source was never read whole."""
        return source is not None and source.get("retrieval") in UNVERIFIED

    def citing(self, record: Record, without: Sequence[Citation] = ()) -> list[tuple[Record | str, list[str]]]:
        """Who names a record, and in which fields: records, and pages of docs by their paths."""
        apart = set(map(id, without))
        named: dict[str, list[str]] = {}
        for one in self.kb.graph.cited_by(record.id):
            if id(one) not in apart:
                named.setdefault(one.citing, []).append(one.place)
        records = self.kb.catalog.records
        return [(records.get(citing, citing), list(dict.fromkeys(places))) for citing, places in named.items()]

    @cached_property
    def observed(self) -> Mapping[str, list[Observed]]:
        """What was observed of each model and each engine, by the id of either."""
        found: dict[str, list[Observed]] = {}
        for one in comparisons(self.kb):
            for id in filter(None, (one.model, one.engine)):
                found.setdefault(id, []).append(one)
        return found

    @cached_property
    def corrections(self) -> list[tuple[Record, Mapping[str, Any]]]:
        """All corrections, the latest first."""
        found = [
            (record, correction)
            for kind in self.kb.catalog.kinds
            for record in self.kb.catalog.sound(kind.name)
            for correction in record.get("corrections") or ()
        ]
        return sorted(found, key=lambda pair: str(pair[1]["date"]), reverse=True)

    def listings(self, record: Record) -> Sequence[Listing]:
        """The cells of the matrix that a model or an engine has."""
        return self._listings.get(record.id, ())

    def asked(self, model: Record) -> list[tuple[list[str], tuple[str, ...]]]:
        """What engines are asked for: a class or a model type, and the sources that state them."""
        asked: dict[tuple[str, ...], dict[str, None]] = {}
        for reason in (reason for listing in self.listings(model) for reason in listing.reasons):
            if reason.rule == "named" and reason.value:
                asked.setdefault(reason.cites, {})[str(reason.value)] = None
        return [(list(names), cites) for cites, names in asked.items()]

    @cached_property
    def _listings(self) -> Mapping[str, Sequence[Listing]]:
        found: dict[str, list[Listing]] = {}
        for listing in self.kb.listings.values():
            found.setdefault(listing.model, []).append(listing)
            found.setdefault(listing.engine, []).append(listing)
        return found

    @cached_property
    def answers(self) -> VerdictGroups:
        """The verdicts, GPUs that share one together."""
        return VerdictGroups(self.kb, self.memory)

    @cached_property
    def summary(self) -> Summary:
        """The verdicts summed up."""
        return Summary(self.answers)

    @cached_property
    def gotchas(self) -> GotchaJoin:
        """The conditions of all gotchas, with what meets them."""
        return GotchaJoin(self.kb, self.summary)

    @cached_property
    def gotcha_texts(self) -> tuple[str, ...]:
        """The files of all gotchas, from which tables on other pages are made; see `reuse`."""
        return tuple(record.document.text for record in self.kb.catalog.of("gotcha"))

    @cached_property
    def names(self) -> Hashable:
        """What pages show of records that chains name; see `reuse`."""
        return shown_names(self.kb)

    @cached_property
    def outlines(self) -> Hashable:
        """What pages over all models also show of them: names and families."""
        models = self.kb.catalog.sound("model")
        return tuple((model.id, model.title, self.summary.family(model.id)) for model in models)

    @cached_property
    def behind_figures(self) -> tuple[str, ...]:
        """What the figures of all models are made from; see `reuse`."""
        return figure_inputs(self.kb)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The files of all models."""
        return tuple(model.document.text for model in self.kb.catalog.of("model"))

    @cached_property
    def impacts(self) -> Mapping[str, Impact]:
        """What rests on each source."""
        return impacts(self.kb)
