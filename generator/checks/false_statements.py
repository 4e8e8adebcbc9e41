"""What the reader of prose finds false, as findings: the right value, and whose figure the stated one is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally
from generator.checks.texts import passages
from generator.derive.figures import Figure
from generator.findings import Finding, Related
from generator.knowledge.includes import sections
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.expressions.filled_text import filled
from generator.prose.figure_owners import owners_of
from generator.prose.named_values import names_of
from generator.prose.passages import Passage, included
from generator.prose.reader import Quantity, Statement, StatementKind, read, sentence_at


def false_statements(kb: KnowledgeBase, tally: Tally, *kinds: StatementKind) -> Iterator[tuple[Passage, Statement]]:
    """What the reader finds false; the rest is counted."""
    for passage in (*passages(kb, tally), *included(kb)):
        for statement in read(passage.read.value, passage.names, kinds):
            if statement.holds is None or (not statement.holds and _of_another(kb, passage, statement)):
                tally.not_checkable += 1
                continue
            tally.checked += 1
            if not statement.holds and not _told_by_its_owner(kb, passage, statement, kinds):
                yield passage, statement


def _told_by_its_owner(
    kb: KnowledgeBase, passage: Passage, statement: Statement, kinds: tuple[StatementKind, ...]
) -> bool:
    """Whether what is false on an including page is so without its figures, and reported where it was written."""
    if passage.include is None:
        return False
    owner = kb.catalog.records[str(passage.include.target)]
    alone = filled(kb, owner, passage.text.value)
    false = (each for each in read(alone.value, names_of(kb, owner), kinds) if each.holds is False)
    return passage.read.typed(statement.start) in {alone.typed(each.start) for each in false}


def _of_another(kb: KnowledgeBase, passage: Passage, statement: Statement) -> bool:
    """Whether a statement that rests on this model's values may speak of another model."""
    at, id = passage.read.typed(statement.start), passage.record.id
    before = passage.text.value[sentence_at(passage.text.value, at)[0] : at].rpartition("; ")[2]
    named = kb.names.mentioned(passage.sentence(at), id) or kb.names.sibling_mentioned(before, id)
    return bool(statement.names) and bool(named)


def _once(kb: KnowledgeBase, found: Iterable[tuple[Passage, Statement]]) -> Iterator[tuple[Passage, Statement]]:
    """What is false on every page that includes a text is one mistake, in the text itself."""
    groups: dict[tuple[str, int], list[tuple[Passage, Statement]]] = {}
    for passage, statement in found:
        if passage.include is None:
            yield passage, statement
        else:
            key = passage.include.mention.target, passage.read.typed(statement.start)
            groups.setdefault(key, []).append((passage, statement))
    for (target, _), group in groups.items():
        passage, statement = group[0]
        if len(group) > 1 and len(group) == sum(each.mention.target == target for each in kb.graph.includes):
            owner = kb.catalog.records[str(passage.include and passage.include.target)]
            section = sections(kb.catalog, owner)[target.partition("#")[2]]
            yield replace(passage, section=section), statement
        else:
            yield from group


def findings(this: Check, kb: KnowledgeBase, tally: Tally, *kinds: StatementKind) -> Iterator[Finding]:
    """A finding for each false statement: the right value, how it comes about, and whose figure the stated one is."""
    for passage, statement in _once(kb, false_statements(kb, tally, *kinds)):
        written = " ".join(passage.read.value[statement.start : statement.end].split())
        right = (
            f"the right value is {statement.right}{_unit(statement.stated)}" if statement.stated else statement.right
        )
        why = f" ({statement.why})" if statement.why else ""
        expression = passage.read.expression(statement.start, statement.end)
        owners = owners_of(kb, statement.stated, passage.record.id) if statement.stated and not expression else []
        whose = f"; {written} is the figure of {_list(owners)}" if owners else ""
        message = _computed(expression.inner, written, statement) if expression else f"{written}: {right}{why}{whose}"
        place = passage.place(*passage.typed(statement.start, statement.end))
        related = []
        if passage.section:
            message = f"on every page that includes this text, such as {passage.record.id}: {message}"
        elif passage.include:
            message = f"in {passage.include.mention.target}, with the figures of this model: {message}"
            owner = kb.catalog.records[str(passage.include.target)]
            related = [Related(owner.at(*passage.text.path), "the text")]
        yield this.finding(
            place,
            message,
            passage.section.record.id if passage.section else passage.record.id,
            related,
            data={"stated": written, "right": statement.right, "figure_of": [record.id for record, _ in owners]},
        )


def _computed(inner: str, written: str, statement: Statement) -> str:
    """A false statement about a computed value: what was typed around it is wrong, or another value is meant."""
    but = f", and {statement.why} gives {statement.right}" if statement.why else f", not {statement.right}"
    return f"`{inner}` is {written}{but}{_unit(statement.stated)}; correct the typed numbers, or name what they give"


def _unit(quantity: Quantity | None) -> str:
    if quantity is None or quantity.unit is None or quantity.dimension not in ("bytes", "share", "times"):
        return ""
    return quantity.unit.symbol if quantity.dimension == "times" else f" {quantity.unit.symbol}"


def _list(owners: list[tuple[Record, Figure]]) -> str:
    shown = ", ".join(f"{record.id} ({figure.key})" for record, figure in owners[:2])
    return shown + (f" and {len(owners) - 2} more" if len(owners) > 2 else "")
