"""NUM409: a computed value in prose that has no value."""

from __future__ import annotations

from collections.abc import Iterator

from generator.expressions import ExpressionError, evaluate, find, unclosed
from generator.findings import Finding, Severity
from generator.judgement import Check, Tally, check
from generator.knowledge import KnowledgeBase


@check("NUM409", Severity.ERROR)
def broken_expression(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """An expression in prose that has no value.

    Why it matters
    Figures in prose are written as expressions so that they cannot go stale; one that names nothing would leave a hole
    in the sentence.

    Bad
    ```yaml records/concepts/wrong.yaml
    # yaml-language-server: $schema=../../schema/concept.schema.json
    name: An idea
    definition: |
      It grows by {{ model('tiny-a').kv.growth('bf17') }}.
    cites: ["[[tiny-a-config]]"]
    ```

    Good
    ```yaml records/concepts/wrong.yaml
    # yaml-language-server: $schema=../../schema/concept.schema.json
    name: An idea
    definition: |
      It grows by {{ model('tiny-a').kv.growth('bf16') }}.
    cites: ["[[tiny-a-config]]"]
    ```

    How to fix
    The message names what is known at that place. The vocabulary: `kv.growth(layout)`, `kv.bytes(layout, tokens)`,
    `kv.state(name)`, `kv.layers.NAME`, `kv.naive`, `kv.materialised`, `config.KEY`, `format(id)` and `model(id)`, with
    + - * / and the filters kib, mib, gib, percent, times and round(n). To write the braces themselves, use a code span.
    """
    for record in kb.catalog.records.values():
        if record.id in kb.catalog.unsound:
            tally.skipped += 1
            continue
        for text in kb.catalog.texts(record):
            if not text.field or not text.field.schema.get("x-prose"):
                continue
            found = find(text.value)
            places = record.document.places(text.span, text.value, ((each.start, each.raw) for each in found))
            for each, span in zip(found, places, strict=True):
                tally.checked += 1
                try:
                    evaluate(kb, record, each.inner)
                except ExpressionError as error:
                    yield this.finding(record.location(span or text.span), str(error), record.id)
            at = unclosed(text.value)
            if at is not None:
                (span,) = record.document.places(text.span, text.value, [(at, "{{")])
                yield this.finding(record.location(span or text.span), "`{{` is not closed by `}}`", record.id)
