"""How records are linked and cited."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup, escape

from generator.catalog.records import Record
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.citations import Mention, whole
from generator.site.html import links, render


@dataclass(frozen=True)
class Linker:
    """How records are linked and cited."""

    kb: KnowledgeBase

    def path(self, record: Record) -> str:
        """Where a record's page lies."""
        return f"{self.kb.catalog.kinds[record.kind].path}/{record.id}.md"

    def href(self, target: Record | str, fragment: str = "") -> str:
        """The address of a record's page, or of the page at a path."""
        return links.to(self.path(target) if isinstance(target, Record) else target, fragment)

    def link(self, target: Record | str, text: str | None = None, fragment: str = "") -> Markup:
        """A link to a record (or the id of one), by its name unless another text is given."""
        record = self.kb.catalog.records.get(target) if isinstance(target, str) else target
        if record is None:
            return Markup("<code>{}</code>").format(target)
        shown = render.clip(text or record.title)
        return Markup('<a class="sb-ref sb-ref-{}" href="{}">{}</a>').format(
            record.kind, self.href(record, fragment), shown
        )

    def guide(self, path: str, text: str) -> Markup:
        """A link to a hand-written page, where the knowledge base has it."""
        known = any(page.path == f"docs/{path}" for page in self.kb.catalog.docs)
        return Markup('<a href="{}">{}</a>').format(self.href(path), text) if known else Markup(escape(text))

    def citation(self, mention: Mention) -> Markup:
        """A citation as a link; one that names nothing as its text with a visible mark."""
        resolution = None if mention.problem else self.kb.catalog.resolve(mention)
        if resolution is None or resolution.record is None:
            why = mention.problem or (resolution.why if resolution else "")
            return Markup('<span class="sb-broken" title="{}">✕ {}</span>').format(why, mention.raw)
        return self.link(resolution.record, mention.label, mention.fragment or "")

    def cite(self, text: object) -> Markup:
        """A field that is one citation; any other text as it is."""
        mention = whole(str(text))
        return self.citation(mention) if mention else Markup(escape(text))

    def cited(self, text: object) -> Record | None:
        """The record that a field cites."""
        mention = whole(str(text or ""))
        return self.kb.catalog.resolve(mention).record if mention and not mention.problem else None
