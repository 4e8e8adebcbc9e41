"""NUM408: a typed figure that equals a computed one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.findings import Edit, Finding, Fix, Severity
from generator.judgement import Check, Tally, check
from generator.knowledge import KnowledgeBase
from generator.records import Record
from generator.spans import Location
from generator.units import grouped

_FIGURE = re.compile(r"(?<![\d.,])(\d[\d,]*(?:\.\d+)?) B/token\b")


@check("NUM408", Severity.INFO)
def typed_figure(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A figure that was typed although it can be computed.

    Why it matters
    A typed figure is right on the day it is typed. An expression follows the record, and opens its formula on the site.

    Bad
    ```yaml records/models/tiny-c.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny A again
    vendor: Tiny Works
    repo: TinyWorks/Tiny-A
    released: 2026-01-02
    license: MIT
    config: "[[tiny-a-config]]"
    architecture:
      model_type: tiny_mla
      num_hidden_layers: 4
      hidden_size: 256
      num_attention_heads: 4
      num_key_value_heads: 4
      kv_lora_rank: 32
      qk_nope_head_dim: 16
      qk_rope_head_dim: 8
      v_head_dim: 16
    notes: |
      It grows by 320 B/token.
    ```

    Good
    ```yaml records/models/tiny-c.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny A again
    vendor: Tiny Works
    repo: TinyWorks/Tiny-A
    released: 2026-01-02
    license: MIT
    config: "[[tiny-a-config]]"
    architecture:
      model_type: tiny_mla
      num_hidden_layers: 4
      hidden_size: 256
      num_attention_heads: 4
      num_key_value_heads: 4
      kv_lora_rank: 32
      qk_nope_head_dim: 16
      qk_rope_head_dim: 8
      v_head_dim: 16
    notes: |
      It grows by {{ kv.growth('bf16') }}.
    ```

    How to fix
    Write the expression; the fix does it. A figure at the end of a calculation that is spelled out may stay: the
    calculation is checked.
    """
    for record in tally.sound(kb, "model"):
        computed = _computed(kb, record)
        for text in kb.catalog.texts(record):
            if not text.field or not text.field.schema.get("x-prose") or text.path[-1] == "wrong":
                continue
            found = [each for each in _FIGURE.finditer(text.value) if not _result(text.value, each.start())]
            places = record.document.places(text.span, text.value, ((each.start(), each[0]) for each in found))
            for each, span in zip(found, places, strict=True):
                tally.checked += 1
                expression = computed.get(each[1])
                if expression is not None and span is not None:
                    where = record.location(span)
                    fix = _fix(where, expression, record.document.source(text.span))
                    yield this.finding(where, f"{each[0]} is computed: write {expression}", record.id, fix=fix)


def _fix(where: Location, expression: str, written: str) -> Fix | None:
    """The fix, with quotes that the text's own do not clash with; braces in a text without quotes may be YAML's."""
    if written[:1] not in ("|", ">", '"', "'"):
        return None
    text = expression.replace("'", '"') if written[0] == "'" else expression
    return Fix("write the expression", (Edit(where, text),))


def _result(text: str, at: int) -> bool:
    """Whether a figure ends a calculation that is spelled out before it."""
    return re.search(r"=\s*\Z", text[:at]) is not None


def _computed(kb: KnowledgeBase, record: Record) -> dict[str, str]:
    """The figures of a model as they are typed, and the expressions that give them; the plainest wins."""
    facts = kb.facts[record.id]
    if facts.geometry is None:
        return {}
    geometry = facts.geometry
    others = {"naive": geometry.naive_gqa_bytes_per_token, "materialised": geometry.materialised_bytes_per_token}
    typed = {grouped(size): f"{{{{ kv.{name} }}}}" for name, size in others.items() if size is not None}
    for figure in reversed(facts.figures):
        typed[grouped(figure.growth)] = f"{{{{ kv.growth('{figure.key}') }}}}"
    return typed
