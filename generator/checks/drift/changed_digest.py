"""DRF604: facts that were edited without a new reading."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Edit, Finding, Fix, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.digests import facts_digest


@check("DRF604", Severity.ERROR)
def changed_digest(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The facts of a source do not match their digest.

    Why it matters
    Facts are what a document said when it was read; an edit by hand turns them into what somebody wishes it had said.

    Bad
    ```yaml sources/tiny-datasheet.yaml
    facts_digest: sha256:18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4
    facts: {memory: 96 GB}
    ```

    Good
    ```yaml sources/tiny-datasheet.yaml
    facts_digest: sha256:73fd02b2e79909dce57845789a9a1b9a52a4855785d7879bacfa89e01c1e839b
    facts: {memory: 80 GB}
    ```

    How to fix
    Read the document again and correct facts and digest together. The digest is sha256 over the facts as JSON with
    sorted keys and no blanks, in UTF-8; the fix writes it, and is unsafe because only a reader can vouch for the facts.
    """
    for source in tally.sound(kb, "source"):
        stated = source.get("facts_digest")
        if stated is None:
            tally.not_checkable += 1
            continue
        tally.checked += 1
        digest = facts_digest(source.get("facts"))
        if digest != stated:
            where = source.at("facts_digest")
            fix = Fix("write the digest of the facts as they are now", (Edit(where, digest),), safe=False)
            message = f"the facts have the digest {digest}; were they edited without reading the document again?"
            yield this.finding(where, message, source.id, fix=fix)
