"""NUM407: a paragraph that stands in two records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.checks.texts import passages
from generator.findings import Edit, Finding, Fix, Location, Related, Severity
from generator.knowledge.evidence.applicability import applies
from generator.knowledge.includes import HOMES, sections
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.copies import copies
from generator.prose.passages import Passage

WORDS = 40
"""Shorter paragraphs are alike by chance: two sentences about one fact."""


@check("NUM407", Severity.WARNING)
def copied_paragraph(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A long paragraph stands in more than one record.

    Why it matters
    A block of kernel notes was pasted into five model records: it carried a third model's figure, a fourth model's
    layout and a failure that needs a ratio which those models do not have. What is said once can be corrected once.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      See [[tiny-latent]].

      Keys and values of all heads are made from one latent row per token, so the cache holds that row and
      nothing else; decoding multiplies the projections into the query and the output, and every head then reads
      the same row of the same layer, whatever the number of heads is.
    ```
    ```yaml records/engines/tiny-engine.yaml
    notes: |
      Keys and values of all heads are made from one latent row per token, so the cache holds that row and
      nothing else; decoding multiplies the projections into the query and the output, and every head then reads
      the same row of the same layer, whatever the number of heads is.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      See [[tiny-latent]].

      Keys and values of all heads are made from one latent row per token, so the cache holds that row and
      nothing else; decoding multiplies the projections into the query and the output, and every head then reads
      the same row of the same layer, whatever the number of heads is.
    ```

    How to fix
    Keep the paragraph in one concept, kernel or gotcha record, the one that the message names or a new one, as a field
    or below a heading of its own. The others include it, `{{ include('id#section') }}`, or cite it with what is true of
    them alone. The fix does it where the texts are the same and the owner's conditions hold.
    """
    paragraphs = [each for passage in passages(kb, tally) for each in _paragraphs(passage)]
    tally.checked += len(paragraphs)
    for group in _groups(paragraphs):
        first, *others = sorted(group, key=lambda each: (each.record.kind not in HOMES, each.record.id, each.start))
        where = ", ".join(dict.fromkeys(f"{each.record.id} (line {each.place.line})" for each in others[1:]))
        also = f" and in {where}" if where else ""
        yield this.finding(
            others[0].place,
            f"this paragraph of {len(others[0].words)} words also stands in {first.record.id} (line {first.place.line})"
            f"{also}: {_home(kb, first)}",
            others[0].record.id,
            [Related(each.place, "the paragraph here") for each in (first, *others[1:])],
            _fix(kb, first, others[0]),
        )


@dataclass(frozen=True, eq=False)
class _Paragraph:
    passage: Passage
    start: int
    end: int
    words: tuple[str, ...]

    @property
    def record(self) -> Record:
        return self.passage.record

    @property
    def place(self) -> Location:
        return self.passage.place(self.start, self.end)

    @property
    def text(self) -> str:
        return self.passage.text.value[self.start : self.end]


def _paragraphs(passage: Passage) -> Iterator[_Paragraph]:
    for match in re.finditer(r"\S(?:.|\n(?![ \t]*(?:\n|\Z)))*", passage.text.value):
        words = tuple(re.findall(r"(?<![\w.])[\w.]*\w", match[0].lower()))
        if len(words) >= WORDS:
            yield _Paragraph(passage, match.start(), match.end(), words)


def _groups(paragraphs: list[_Paragraph]) -> Iterator[list[_Paragraph]]:
    """Paragraphs of different records that are copies; each paragraph is in one group only."""
    groups: dict[int, list[int]] = {}
    seen: set[int] = set()
    for one, other in copies([paragraph.words for paragraph in paragraphs]):
        if other not in seen and paragraphs[one].record is not paragraphs[other].record:
            groups.setdefault(one, [one]).append(other)
            seen.add(other)
    yield from ([paragraphs[number] for number in group] for first, group in groups.items() if first not in seen)


def _home(kb: KnowledgeBase, first: _Paragraph) -> str:
    """Where the paragraph should live: where it is, if that is a shared record; else with the subject it speaks of."""
    if first.record.kind in HOMES:
        name = _section(kb, first)
        if name:
            return f"write {_include(first.record, name)} instead, or cite [[{first.record.id}]]"
        return f"give it a heading of its own in [[{first.record.id}]] and include that, or cite the record"
    counts = {record.id: _subject(record, first.text) for kind in HOMES for record in kb.catalog.sound(kind)}
    best = max(counts, key=lambda id: counts[id], default=None)
    if best is None or not counts[best]:
        return "move it to one concept, kernel or gotcha record and include it from there"
    return f"move what is true of both to one record, perhaps [[{best}]], and include it from there"


def _section(kb: KnowledgeBase, paragraph: _Paragraph) -> str:
    """The name of the section that consists of a paragraph; empty where there is more, or less, in it."""
    for name, section in sections(kb.catalog, paragraph.record).items():
        if section.text.path == paragraph.passage.text.path and section.value.strip() == paragraph.text.strip():
            return name
    return ""


def _include(record: Record, name: str) -> str:
    return f"{{{{ include('{record.id}#{name}') }}}}"


def _fix(kb: KnowledgeBase, first: _Paragraph, copy: _Paragraph) -> Fix | None:
    """An include for a copy of a whole section, word for word, where the section's record is about the copy's."""
    name = _section(kb, first) if first.record.kind in HOMES else ""
    block = copy.record.document.source(copy.passage.text.span).startswith("|")
    indented = copy.start > 0 and copy.passage.text.value[copy.start - 1] != "\n"
    if not name or not block or indented or copy.text.split() != first.text.split():
        return None
    if copy.record.kind == "model" and applies(kb, copy.record, first.record, now=True).holds is not True:
        return None
    begin, last = copy.place, copy.passage.place(copy.start + copy.text.rstrip().rfind("\n") + 1, copy.end)
    whole = replace(begin, end_line=last.end_line, end_column=last.end_column)
    return Fix(f"include {first.record.id}#{name}", (Edit(whole, _include(first.record, name)),))


def _subject(record: Record, text: str) -> int:
    """How often a text cites a record or uses its names."""
    names = {record.id, record.title, *(record.get("aliases") or ())}
    return sum(len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.I)) for name in names)
