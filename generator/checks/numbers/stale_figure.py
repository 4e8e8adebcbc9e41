"""NUM406: a figure that once was given for this record."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.checks.texts import passages
from generator.findings import Edit, Finding, Fix, Related, Severity
from generator.knowledge.editions import shown
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.figure_owners import owners_of, siblings
from generator.prose.outdated_figures import OutdatedFigure, bygones, holds, significant
from generator.prose.passages import Passage
from generator.prose.reader import Quantity, read

_TELLS = re.compile(
    r"\b(?:was|were|had|until|before|former(?:ly)?|earlier|previous(?:ly)?|once|used to|old(?:er)?|correct(?:ed|ion)s?|"
    r"wrong(?:ly)?|instead|no longer|said|claimed|mistake|superseded|founding)\b",
    re.I,
)
"""Words by which a sentence tells of a change. One that only seems to is left alone."""


@check("NUM406", Severity.WARNING)
def stale_figure(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A figure in prose is an earlier value, which this record has corrected or its source has replaced.

    Why it matters
    A correction mends the field and forgets the paragraph two screens below, where the old figure goes on being quoted.

    Earlier values come from the base itself: what `corrections` call wrong, claims from a superseded source, and what
    followed from an earlier edition of a model's config. A sentence that tells of the change, or names another model,
    is left alone.

    Bad
    ```yaml records/models/tiny-b.yaml
    notes: |
      At 482 B/token a long context is cheap.
    corrections:
      - date: 2026-02-03
        wrong: |
          The cache was given as 482 B/token.
        right: |
          5 × (32 + 8) × 2 = {{ kv.growth('bf16') }}.
        cite: "[[tiny-b-config]]"
    ```

    Good
    ```yaml records/models/tiny-b.yaml
    notes: |
      At {{ kv.growth('bf16') }} a long context is cheap. It was once given as 482 B/token.
    corrections:
      - date: 2026-02-03
        wrong: |
          The cache was given as 482 B/token.
        right: |
          5 × (32 + 8) × 2 = {{ kv.growth('bf16') }}.
        cite: "[[tiny-b-config]]"
    ```

    How to fix
    Write what holds now, as an expression where the figure follows from the config, so that it cannot be left behind
    again. Where the sentence is about the past, say so in it.
    """
    known: dict[str, list[OutdatedFigure]] = {}
    for passage in passages(kb, tally):
        id = passage.record.id
        if id not in known:
            known[id] = bygones(kb, passage.record)
        if not known[id] or passage.text.path[0] == "corrections":
            continue
        false = [each for each in read(passage.text.value, passage.names) if each.holds is False]
        for quantity in significant(passage.text.value):
            tally.checked += 1
            old = next((each for each in known[id] if each.stated_by(quantity)), None)
            told = any(each.start <= quantity.start < each.end for each in false)
            if old is not None and not told and not _welcome(kb, passage, quantity, old):
                yield _finding(this, passage, quantity, old)


def _welcome(kb: KnowledgeBase, passage: Passage, quantity: Quantity, old: OutdatedFigure) -> bool:
    """Whether the figure holds after all, its sentence tells of the change, or whose it is says another check."""
    sentence = passage.sentence(quantity.start)
    about_old = _TELLS.search(sentence) or (old.edition is not None and shown(old.edition) in sentence)
    if about_old or holds(kb, passage.record, quantity) or kb.names.mentioned(sentence, passage.record.id):
        return True
    if passage.record.id not in kb.facts or "token" not in (quantity.unit.per if quantity.unit else ()):
        return False
    near = siblings(kb, passage.record.id)
    return any(record.id in near for record, _ in owners_of(kb, quantity, passage.record.id))  # NUM405 says so


def _finding(this: Check, passage: Passage, quantity: Quantity, old: OutdatedFigure) -> Finding:
    written = quantity.text.strip()
    message = f"{written} is an earlier value: {old.story}; now it is {old.now}"
    if old.expression:
        message += f". Write {old.expression}, or say in the sentence that it is the past"
    return this.finding(
        passage.place(quantity.start, quantity.end),
        message,
        passage.record.id,
        [Related(old.place, "the earlier value")],
        _fix(passage, quantity, old),
        {"earlier": written, "now": old.now, "why": old.story, "expression": old.expression},
    )


def _fix(passage: Passage, quantity: Quantity, old: OutdatedFigure) -> Fix | None:
    """The expression, where the figure is typed as the expression prints it and ends no calculation.

    Unsafe, for it changes what is said.
    """
    quote = passage.record.document.source(passage.text.span)[:1]
    typed = re.fullmatch(r"[\d,.]+ B/token", quantity.text.strip())
    result = passage.text.value[: quantity.start].rstrip().endswith("=")
    if old.expression is None or not typed or result or quote not in ("|", ">", '"', "'"):
        return None
    text = old.expression.replace("'", '"') if quote == "'" else old.expression
    return Fix("write the expression", (Edit(passage.place(quantity.start, quantity.end), text),), safe=False)
