"""CIT111: a record named in prose without a citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.findings import Edit, Finding, Fix, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation import braces, citations
from generator.notation.code import blanked, comments, fences

_NAMES = frozenset(("model", "engine", "kernel", "gpu"))
"""Kinds whose ids people write as names: a text may say `deepseek-v3` and mean the model, not the record."""

_BLOCK = re.compile(r"^(?: {4}|\t).*$|\[[^\[\]\n]*\]\([^()\n]*\)", re.M)
_WORD = re.compile(r"(?<![\w./@#:=$\\-])(`?)([a-z0-9]++(?:[-_./][a-z0-9]++)++)(`?)(?![\w/=(]|[-.:]\w)")


@check("CIT111", Severity.WARNING)
def inconsistent_mention(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A record that is named in prose by its id, or by a variant of it, without being cited.

    Why it matters
    A reader cannot follow it, the graph does not know of it, and after a renaming it names nothing.

    Three spellings are found, which nobody writes by chance: the id of a gotcha, concept, backend or source, if it has
    three words or more, also with underscores; any id behind its kind or with its file's name (`gotcha-x`, `x.yaml`);
    and the hyphened id of a model or GPU alone in a code span, in a record that cites it nowhere. Left alone are all
    other code, ids that are names as well and appear in plain text (llama-cpp, flashinfer), and the record's own id.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      As in concept-tiny-latent.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      As in [[tiny-latent]].
    ```

    How to fix
    Cite the record; the fix does it. If something else is meant, name it differently.
    """
    variants = _variants(kb)
    for record in kb.catalog.records.values():
        if record.id in kb.catalog.unsound:
            tally.skipped += 1
            continue
        cited = {str(citation.target) for citation in kb.graph.cites(record.id)}
        for text in kb.catalog.texts(record):
            if not text.field or not text.field.schema.get("x-prose") or text.path[-1] == "wrong":
                continue
            tally.checked += 1
            found = list(_mentions(text.value, variants, record.id, cited))
            places = record.document.places(text.span, text.value, ((start, written) for start, written, _ in found))
            for (_, written, other), span in zip(found, places, strict=True):
                where = record.location(span or text.span)
                instead = citations.write(other.id)
                fix = Fix(f"cite {other.id}", (Edit(where, instead),), safe=False) if span else None
                message = f"{written} names the {other.kind} {other.id} without citing it: write {instead}"
                yield this.finding(where, message, record.id, fix=fix)


def _variants(kb: KnowledgeBase) -> Mapping[str, Record]:
    """Every spelling that means a record and nothing else."""
    found: dict[str, Record] = {}
    for record in kb.catalog.records.values():
        folder = kb.catalog.kinds[record.kind].folder
        spellings = [f"{record.id}.yaml", f"{folder}/{record.id}", record.path, f"{record.kind}-{record.id}"]
        if record.kind not in _NAMES and record.id.count("-") >= 2:
            spellings += [record.id, record.id.replace("-", "_")]
        elif record.kind in ("model", "gpu") and "-" in record.id:
            spellings.append(f"`{record.id}`")
        found |= {
            spelling: record for spelling in spellings if spelling not in kb.catalog.records or spelling == record.id
        }
    return found


def _mentions(
    text: str, variants: Mapping[str, Record], own: str, cited: set[str]
) -> Iterator[tuple[int, str, Record]]:
    """(offset, what is written, which record is meant) for each word of a text that means a record."""
    for found in _WORD.finditer(_blanked(text)):
        tick, word, end = found.groups()
        if tick != end:
            continue  # the word is a part of longer code
        other = variants.get(word) or (variants.get(f"`{word}`") if tick and word not in cited else None)
        if other is not None and other.id != own:
            yield found.start(), found[0], other


def _blanked(text: str) -> str:
    """The text without citations, expressions, code blocks, comments and links; every character keeps its place."""
    gaps = [(mention.start, mention.end) for mention in citations.find(text)]
    gaps += [(each.start, each.end) for each in braces.both(text)]
    gaps += [found.span() for found in _BLOCK.finditer(text)]
    gaps += [(each.start, each.end) for each in fences(text)]
    return blanked(text, [*gaps, *comments(text)])
