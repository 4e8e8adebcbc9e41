"""CIT102: a source that no record cites."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase

_HALF = re.compile(r"\[")


@check("CIT102", Severity.WARNING)
def orphan_source(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A source that no record cites.

    Why it matters
    Evidence that nobody uses is either superfluous or, worse, the right source for a record that cites a wrong one.

    Bad
    ```yaml sources/lonely.yaml
    # yaml-language-server: $schema=../schema/source.schema.json
    title: A note on Tiny B
    publisher: Tiny Works
    type: blog
    url: https://tiny.example/blog/2026/tiny-b
    locator: https://tiny.example/blog/2026/tiny-b
    subjects: [hf:TinyWorks/Tiny-B]
    retrieved: 2026-01-05
    upstream_date: 2026-01-02
    retrieval: read-not-hashed
    digest: null
    license: null
    facts: {}
    why_null: {digest: the page changes with its comments, license: not stated}
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      As the datasheet says, [[tiny-datasheet]].
    ```

    How to fix
    Cite it from the record that it is about (the message names those whose subject it declares), or remove it.
    """
    orphans = set(kb.graph.orphans())
    unread, misspelt = _unread(kb), _misspelt(kb, orphans) | _miscited(kb, orphans)
    for source in kb.catalog.of("source"):
        if source.id in kb.catalog.unsound:
            tally.skipped += 1
            continue
        if source.id in orphans and (unread or source.id in misspelt):
            tally.skipped += 1  # a record that cannot be read may cite it; a misspelt citation is reported as CIT101
            continue
        subjects = source.get("subjects")
        tally.checked += 1
        if source.id not in orphans:
            continue
        about = [record.id for record in kb.catalog.records.values() if _subjects(record) & set(subjects)]
        declares = f"it declares {', '.join(subjects)}"
        hint = f", the subject of {', '.join(about)}" if about else ""
        message = f"no record cites this source; {declares}{hint}"
        yield this.finding(source.at("title"), message, source.id, data={"subjects": list(subjects), "about": about})


def _unread(kb: KnowledgeBase) -> bool:
    """Whether a file below records/ was not read, or corrections not with their record: they may cite a source."""
    read = {record.path for record in kb.catalog.records.values()}
    return any(
        (fault.code == "SCH102" or (fault.code in ("YML001", "YML006") and fault.location.path not in read))
        and fault.location.path.startswith("records/")
        for fault in kb.catalog.faults
    )


def _misspelt(kb: KnowledgeBase, orphans: Collection[str]) -> set[str]:
    """The orphans to which a citation of a record comes close that finds nothing."""
    lost = {each.mention.id for each in kb.graph.citations if not each.resolution.record and not each.mention.problem}
    return {near for id in lost for near in difflib.get_close_matches(id, orphans, n=1, cutoff=0.8)}


def _miscited(kb: KnowledgeBase, orphans: Collection[str]) -> set[str]:
    """The orphans that a broken citation was meant for (CIT103), or one of a record of the wrong kind (CIT104)."""
    found: set[str] = set()
    for record in kb.catalog.records.values():
        broken = "\n".join(text.value for text in kb.catalog.texts(record) if _HALF.search(text.value))
        found |= {id for id in orphans if broken and re.search(rf"\[{id}(?![\w-])|(?<![\w-]){id}\]", broken)}
    for citation in kb.graph.citations:
        target, field = citation.resolution.record, citation.field
        if target is not None and field is not None and field.cites and target.kind not in field.cites["kinds"]:
            about = _subjects(kb.catalog.records[citation.citing])
            found |= {id for id in orphans if about & set(kb.catalog.records[id].get("subjects") or ())}
    return found


def _subjects(record: Record) -> set[str]:
    """The subjects that a record is: its repository, or its kind and id."""
    return {f"hf:{record.get('repo')}", f"{record.kind}:{record.id}"}
