"""CIT105: a citation of a part that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from generator.catalog.records import fragments
from generator.catalog.schemas import Path
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CIT105", Severity.ERROR)
def missing_fragment(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A citation names a part of a record that the record does not have.

    Why it matters
    The link would end at the top of the page, and a layout would have no bytes.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      As in [[tiny-engine#fp9_latent]].
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      As in [[tiny-engine#fp8_latent]].
    ```

    How to fix
    A fragment is a field of the record, a heading in its prose (`#page-size`), the id of one of its entries, or a fact
    of a source. A layout names formats as record#name.
    """
    for citation in kb.graph.citations:
        record, fragment = citation.resolution.record, citation.mention.fragment
        if record is None or fragment is None:
            continue
        tally.checked += 1
        known = fragments(record)
        if fragment in known:
            continue
        near = difflib.get_close_matches(fragment, known, n=1)
        hint = f"did you mean #{near[0]}?" if near else f"it has {', '.join(sorted(known)[:12])}"
        whole = citation.mention.target.removesuffix(f"#{fragment}")
        fix = citation.fix(f"{whole}#{near[0]}", safe=False) if near else None
        citing = citation.citing if citation.citing in kb.catalog.records else None
        yield this.finding(citation.location, f"{record.id} has no part `{fragment}`; {hint}", citing, fix=fix)
    yield from _layouts(this, kb, tally)


def _layouts(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The formats that a cache layout names are references, too."""
    known = kb.formats.by_id
    for engine in tally.sound(kb, "engine"):
        for index, row in enumerate(engine.get("cache_layouts") or ()):
            named: list[tuple[Path, str]] = [((key,), row[key]) for key in ("kv", "window", "index") if key in row]
            named += [(("state", at), name) for at, name in enumerate(row.get("state") or ())]
            for place, name in named:
                tally.checked += 1
                if name not in known:
                    near = difflib.get_close_matches(name, list(known), n=1)
                    hint = f"; did you mean {near[0]}?" if near else ""
                    where = engine.at("cache_layouts", index, *place)
                    yield this.finding(where, f"no record has the cache format `{name}`{hint}", engine.id)
