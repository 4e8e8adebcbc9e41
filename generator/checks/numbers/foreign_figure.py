"""NUM405: a figure that is another model's."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction

from generator.checks.contract import Check, Tally, check
from generator.checks.texts import passages
from generator.derive.facts import Facts
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.figure_owners import own_figure, own_values, owners_of, per_layer, says, siblings
from generator.prose.named_values import KINDS
from generator.prose.passages import Passage
from generator.prose.reader import Quantity, Statement, StatementKind, figures, read, sentence_at, show


@check("NUM405", Severity.WARNING)
def foreign_figure(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A model record states a cache figure that no layout of this model has, and another model's has.

    Why it matters
    DeepSeek-V3's 68.6 KiB per token stood in the notes of four other models: a paragraph had been pasted and its number
    came along. A figure of another model is welcome where the sentence names that model. Shares of one GPU, pages,
    positions and the results of true equations are left alone: they may equal another model's figure by chance.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      One latent row per token, see [[tiny-latent]]: at 400 B/token a long context is cheap.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      One latent row per token, see [[tiny-latent]]: at {{ kv.growth('bf16') }} a long context is cheap.
    ```

    How to fix
    Write this model's own figure, which the message gives, or name the model whose figure it is in the same sentence. A
    figure per token and layer is held against the layers of the kind that the sentence names.
    """
    for passage in passages(kb, tally, ("model",)):
        facts = kb.facts.get(passage.record.id)
        if facts is None or facts.geometry is None:
            tally.skipped += 1
            continue
        settled = [each for each in read(passage.text.value, passage.names) if _settled(each)]
        for quantity in figures(passage.text.value):
            per = quantity.unit.per if quantity.unit else ()
            if "token" not in per or _is_settled(quantity, settled) or _SHARE.search(passage.sentence(quantity.start)):
                continue
            tally.checked += 1
            judge = _one_layer if "layer" in per else _whole_model
            message = judge(kb, passage, facts, quantity)
            if message:
                place = passage.place(quantity.start, quantity.end)
                yield this.finding(place, f"{quantity.text.strip()} {message}", passage.record.id)


NEAR = 4
"""So many statements before a figure may be said again by it."""
_SHARE = re.compile(
    r"\b(?:(?:per|each|every|one)\s+(?:GPU|rank|device|card|node|shard|worker)|\d+\s*(?:GPUs|ranks|devices|cards|nodes)|"
    r"shares?|shards?|TP\s?=?\s?\d+|tensor[ -]parallel\w*|(?:pages?|blocks?)\s+of|(?:per|each|every)\s+(?:page|block)|"
    r"(?:page|block)\s+size|positions?)\b",
    re.I,
)
"""What speaks of a part of the cache: on one of several GPUs, in one page, at one position."""


def _settled(statement: Statement) -> bool:
    """Whether a statement says what its figure is: it is found false elsewhere, or follows from what it is made of."""
    return statement.holds is False or (statement.holds is True and statement.kind is StatementKind.ARITHMETIC)


def _is_settled(quantity: Quantity, settled: list[Statement]) -> bool:
    """Whether a figure is the stated one of a statement, or says the size of one just before it in another unit."""
    at = bisect_right(settled, quantity.start, key=lambda each: each.start)
    return any(
        each.start <= quantity.start < each.end or (each.holds and each.stated and _again(quantity, each.stated))
        for each in settled[max(0, at - NEAR) : at]
    )


def _again(quantity: Quantity, stated: Quantity) -> bool:
    return stated.unit is not None and says(quantity, stated.value * stated.unit.scales[0])


def _whole_model(kb: KnowledgeBase, passage: Passage, facts: Facts, quantity: Quantity) -> str:
    if any(says(quantity, size) for size in own_values(facts)):
        return ""
    near = siblings(kb, facts.id)
    owners = [(record, figure) for record, figure in owners_of(kb, quantity, facts.id) if record.id in near]
    named = kb.names.mentioned(passage.sentence(quantity.start), facts.id)
    if not owners or named & {record.id for record, _ in owners}:
        return ""
    record, figure = owners[0]
    others = f" and {len(owners) - 1} more" if len(owners) > 1 else ""
    return (
        f"is the figure of {record.id}{others} ({figure.key}), which this sentence does not name; this model's is "
        f"{own_figure(facts)}"
    )


def _one_layer(kb: KnowledgeBase, passage: Passage, facts: Facts, quantity: Quantity) -> str:
    """A figure per token and layer beside the name of one kind of layer must be what such a layer takes."""
    sentence = _part(passage, quantity.start)
    sizes = per_layer(facts)
    kinds = [kind for kind in sizes for word in KINDS.get(kind, ()) if f"{word} layer" in sentence]
    if len(kinds) != 1 or kb.names.mentioned(sentence, facts.id) or not _asserted(sentence):
        return ""
    known: dict[str, Fraction] = sizes[kinds[0]]
    if any(says(quantity, size) or _rounds_to(quantity, size) for size in known.values()):
        return ""
    right = ", ".join(f"{show(size)} ({key})" for key, size in list(known.items())[:3])
    return f"is not what a layer of this kind takes: {right} B/token"


def _part(passage: Passage, offset: int) -> str:
    """The sentence around a figure; of one that is joined by semicolons the part that holds it."""
    text = passage.text.value
    begin, end = sentence_at(text, offset)
    begin, stop = max(begin, text.rfind("; ", begin, offset) + 1), text.find("; ", offset, end)
    return text[begin : stop if stop >= 0 else end]


def _asserted(sentence: str) -> bool:
    """Whether a sentence states what is, not what a wrong reading would give."""
    return not any(word in sentence.lower() for word in ("naive", "would", "instead of", "if ", "wrong"))


def _rounds_to(quantity: Quantity, size: Fraction) -> bool:
    low, high = quantity.at(quantity.unit.scales[0] if quantity.unit else Fraction(1))
    return low <= size <= high
