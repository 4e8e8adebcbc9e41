"""CIT112: an absolute statement about engines or hardware without a source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.catalog.records import Record, Text
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.code import blanked, code
from generator.prose.reader import sentence_at

_ABSOLUTE = r"every|all|any|no|only|none|cannot|never|always|fastest|slowest|best|worst|first|cheapest|largest|smallest"
_SUBJECT = (
    r"engines?|gpus?|kernels?|backends?|cards?|accelerators?|servers?|hopper|blackwell|ampere|ada|turing|volta|"
    r"cdna ?\d?|sm[ _]?\d+x?"
)
_READING = re.compile(r"\b(?:was|were|is|are)\s+(?:not\s+)?(?:read|found|on record|recorded|known)\b", re.I)


@check("CIT112", Severity.INFO)
def absolute_claim(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A sentence says "every", "only", "no" or "the fastest" of engines or GPUs and cites nothing.

    Why it matters
    Such a sentence is one counter-example away from being wrong, and the world of engines and kernels makes one every
    week. A reader has to see what it was read in, and when. Found is an absolute word at most two words away from an
    engine, a kernel, a GPU or a word for them, in a sentence without a citation; not where the object around it cites
    its source, and not what says only what was read.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      Every engine serves it.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      [[tiny-engine-registry|Tiny Engine lists it]].
    ```

    How to fix
    Cite in the sentence what shows it, or say what was seen: "the two engines on record" instead of "every engine".
    """
    near = _near(kb)
    for kind in kb.catalog.kinds:
        for record in tally.sound(kb, kind.name) if kind.name != "source" else ():
            for text in kb.catalog.texts(record):
                if text.field and text.field.schema.get("x-prose") and text.path[-1] != "wrong":
                    yield from _of_text(this, tally, near, record, text)


def _near(kb: KnowledgeBase) -> re.Pattern[str]:
    """An absolute word and, within two words, what it is said of: the names on record belong to it."""
    names = [re.escape(record.title) for kind in ("engine", "kernel", "gpu") for record in kb.catalog.sound(kind)]
    subject = "|".join([*sorted(names, key=len, reverse=True), _SUBJECT])
    between = r"(?:\s+[\w-]+){0,2}?\s+"
    return re.compile(
        rf"(?<![\w-])(?:(?:{_ABSOLUTE}){between}(?:{subject})|(?:{subject}){between}(?:{_ABSOLUTE}))(?![\w-])", re.I
    )


def _of_text(this: Check, tally: Tally, near: re.Pattern[str], record: Record, text: Text) -> Iterator[Finding]:
    prose = blanked(text.value, code(text.value), "`")
    told: set[int] = set()
    for found in near.finditer(prose):
        begin, end = sentence_at(text.value, found.start())
        sentence = text.value[begin:end]
        if begin in told or _READING.search(sentence):
            continue
        told.add(begin)
        tally.checked += 1
        if "[[" not in sentence and not _sourced(record, text):
            (span,) = record.document.places(text.span, text.value, [(found.start(), found[0].split("\n")[0])])
            words = " ".join(found[0].split())
            message = f'"{words}" is said without a source: cite one in this sentence, or say what was seen'
            yield this.finding(record.location(span or text.span), message, record.id)


def _sourced(record: Record, text: Text) -> bool:
    """Whether the object that holds a text names its source."""
    holder = record.get(*text.path[:-1])
    return isinstance(holder, dict) and bool(holder.get("cite") or holder.get("cites"))
