"""The field reference: what each field of each kind may hold, from the schemas that editors and validation read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.site import rebuild
from generator.site.html.page import Page
from generator.site.sections.record_fields import walk
from generator.site.site import Site

TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "object": "mapping",
    "array": "list",
    "boolean": "true or false",
    "null": "null with a reason",
}


def field_pages(site: Site) -> Iterator[Page]:
    """A list of the kinds, and one page of fields for each."""
    yield from rebuild.fixed(site, "fields", lambda: _pages(site))


def _pages(site: Site) -> Iterator[Page]:
    kinds = list(site.kb.catalog.kinds)
    yield site.page(
        "fields/index.md",
        "Field reference",
        "field_kinds.html",
        kinds=kinds,
        in_nav=True,
        hide=("toc",),
        description="What each field of each kind of record may hold",
        search='<h1 id="fields">Field reference</h1><p>What each field may hold: schema</p>',
    )
    for kind in kinds:
        tree = site.kb.catalog.schemas.field(kind.name)
        fields = [(path, child, holds(child.schema)) for path, child in walk(tree)]
        yield site.page(
            f"fields/{kind.name}.md",
            f"Fields of a {kind.title.lower()}",
            "fields.html",
            kind=kind,
            fields=fields,
            description=f"What each field of a {kind.title.lower()} may hold",
            search=f"<h1>Fields of a {kind.title.lower()}</h1><p>schema</p>",
        )


def holds(schema: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    if "x-cites" in schema:
        kinds = " or ".join(schema["x-cites"].get("kinds", ()))
        types = schema["x-cites"].get("types")
        null = ", or null with a reason" if "null" in schema.get("type", ()) else ""
        return f"citation of a {kinds}" + (f" of type {' or '.join(types)}" if types else "") + null
    if "enum" in schema:
        return "one of: " + ", ".join("null" if value is None else str(value) for value in schema["enum"])
    if schema.get("x-prose"):
        return "Markdown with citations"
    types = schema.get("type", "any value")
    return " or ".join(TYPES.get(name, name) for name in ([types] if isinstance(types, str) else types))
