"""NUM409: a computed value in prose that has no value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.catalog.records import Record, Text
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Location, Related, Severity
from generator.knowledge.graph import Citation
from generator.knowledge.includes import prose, sections
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.braces import Expression, find, unclosed
from generator.prose.expressions.evaluator import ExpressionError, Misspelt, UnknownModel, evaluate, of_a_model


@check("NUM409", Severity.ERROR)
def broken_expression(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """An expression in prose that has no value.

    Why it matters
    Figures in prose are written as expressions so that they cannot go stale; one that names nothing would leave a hole
    in the sentence.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      It grows by {{ model('tiny-a').kv.growth('bf17') }}.
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      It grows by {{ model('tiny-a').kv.growth('bf16') }}.
    ```

    How to fix
    The message names what is known at that place. The vocabulary: `kv.growth(layout)`, `kv.bytes(layout, tokens)`,
    `kv.state(name)`, `kv.windows(layout)`, `kv.layer(kind, layout)`, `kv.layers.NAME`, `kv.naive`, `kv.materialised`,
    `kv.unsupported`, `parameters.total`, `weights.bytes`, `config.KEY`, `format(id)` and `model(id)`, with + - * / and
    the filters kib, mib, gib, percent, times, billion and round(n). To write the braces themselves, use a code span.
    In a concept, a kernel or a gotcha an expression may ask for the model's own figures, if a model includes the text:
    it is worked out for each of them. Where a model's cache cannot be derived, mend that first (DRV302 says how); it is
    told here once, however many expressions ask for it.
    """
    waiting: dict[str, list[Finding]] = {}
    places: set[Location] = set()
    for fault, finding in _faults(this, kb, tally):
        if fault is None and finding.location not in places:  # an include that brings several is told once
            places.add(finding.location)
            yield finding
        elif fault is None:
            continue
        elif fault in kb.catalog.unsound | kb.catalog.unreadable:
            tally.checked, tally.skipped = tally.checked - 1, tally.skipped + 1  # the record's own error has said it
        else:
            waiting.setdefault(fault, []).append(finding)
    for model, findings in waiting.items():
        yield next((each for each in findings if each.record == model), findings[0])


_Faults = Iterator[tuple[str | None, Finding]]
"""Findings, each with the model whose own fault it may be: such a fault is told once, not at every expression."""


def _faults(this: Check, kb: KnowledgeBase, tally: Tally) -> _Faults:
    for record in kb.catalog.records.values():
        if record.id in kb.catalog.unsound:
            tally.skipped += 1
            continue
        for text in prose(kb.catalog, record):
            found = find(text.value)
            places = record.document.places(text.span, text.value, ((each.start, each.raw) for each in found))
            for each, span in zip(found, places, strict=True):
                tally.checked += 1
                where = record.location(span or text.span)
                if of_a_model(record, each.inner):
                    yield from _of_models(this, kb, _Open(record, text, each, where))
                elif error := _broken(kb, record, each):
                    yield _culprit(kb, error), this.finding(where, str(error), record.id)
            at = unclosed(text.value)
            if at is not None:
                (span,) = record.document.places(text.span, text.value, [(at, "{{")])
                yield None, this.finding(record.location(span or text.span), "`{{` is not closed by `}}`", record.id)


def _broken(kb: KnowledgeBase, record: Record, each: Expression) -> ExpressionError | None:
    """Why an expression has no value in a record's prose; None where it has one."""
    try:
        evaluate(kb, record, each.inner)
    except ExpressionError as error:
        return error
    return None


def _culprit(kb: KnowledgeBase, error: ExpressionError, including: str = "") -> str | None:
    """The model whose own fault leaves an expression without a value; None where the expression is at fault."""
    for id in (error.model if isinstance(error, UnknownModel) else "", including):
        if id in kb.catalog.unsound | kb.catalog.unreadable:
            return id
        facts = kb.facts.get(id)
        if facts is not None and facts.geometry is None and not kb.catalog.records[id].get("underivable"):
            return id  # DRV302 tells it of the record
    return None


@dataclass(frozen=True, slots=True)
class _Open:
    """An expression that has a value only where its text is included."""

    record: Record
    text: Text
    each: Expression
    where: Location


def _of_models(this: Check, kb: KnowledgeBase, open_: _Open) -> _Faults:
    """One finding where no including record gives a value; else one at each include that gives none."""
    includes = list(_including(kb, open_))
    if not includes:
        message = (
            _misspelt(kb, open_.each)
            or f"`{open_.each.inner}` asks for a model's figure, and no model includes this text; write model('id')..."
        )
        yield None, this.finding(open_.where, message, open_.record.id)
        return
    failing = [(one, why) for one in includes if (why := _broken(kb, kb.catalog.records[one.citing], open_.each))]
    culprits = [_culprit(kb, why, one.citing) for one, why in failing]
    if failing and len(failing) == len(includes) and not any(culprits):
        one, why = failing[0]
        yield None, this.finding(open_.where, f"{why} (for {one.citing}, which includes this text)", open_.record.id)
        return
    for (one, why), culprit in zip(failing, culprits, strict=True):
        message = f"`{open_.each.inner}` in {one.mention.target} has no value here: {why}"
        yield culprit, this.finding(one.location, message, one.citing, [Related(open_.where, "the expression")])


def _misspelt(kb: KnowledgeBase, each: Expression) -> str:
    """What is misspelt in an expression that no model gives a value yet; any model whose cache is known can tell."""
    derived = (facts.id for facts in kb.facts.values() if facts.geometry and facts.parameters)
    model = next(derived, None)
    error = _broken(kb, kb.catalog.records[model], each) if model else None
    return str(error) if isinstance(error, Misspelt) else ""


def _including(kb: KnowledgeBase, open_: _Open) -> Iterator[Citation]:
    """The includes that bring an expression to a page."""
    for citation in kb.graph.cited_by(open_.record.id):
        if citation.included and citation.citing not in kb.catalog.unsound:
            section = sections(kb.catalog, open_.record)[str(citation.mention.fragment)]
            if section.text.path == open_.text.path and section.start <= open_.each.start < section.end:
                yield citation
