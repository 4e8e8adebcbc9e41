"""CIT110: evidence at an address that can change."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.addresses import floats, is_address


@check("CIT110", Severity.WARNING)
def floating_address(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A value rests on an address that can change under the citation.

    Why it matters
    A branch, a `latest` page or the root of a repository says something else next month, and nobody notices.

    Bad
    ```yaml sources/tiny-dtypes.yaml
    url: https://github.com/tiny/engine
    locator: https://github.com/tiny/engine/blob/main/dtypes.py
    subjects: [github:tiny/engine]
    ```

    Good
    ```yaml sources/tiny-dtypes.yaml
    url: https://github.com/tiny/engine
    locator: https://github.com/tiny/engine/blob/0123456789abcdef0123456789abcdef01234567/dtypes.py
    subjects: [github:tiny/engine]
    ```

    How to fix
    Name the commit, the release or the revision that was read, in `locator` or `read_from`. A floating page may still
    be mentioned in prose.
    """
    for source in tally.sound(kb, "source"):
        tally.checked += 1
        locator = str(source.get("locator"))
        read_from = source.get("read_from", "locator")
        if read_from and not floats(read_from):
            continue
        # Words are not an address: the document's own counts then, unless we know it through another document.
        address = locator if is_address(locator) or source.get("retrieval") == "secondary" else str(source.get("url"))
        why = floats(address) if is_address(address) else None
        resting = kb.graph.rests_on(source.id)
        if why and resting:
            related = [Related(citation.location, f"`{citation.place}` rests on it") for citation in resting[:10]]
            message = f"{len(resting)} values rest on an address that can change: {address} ({why}); pin what was read"
            yield this.finding(source.at("locator"), message, source.id, related)
