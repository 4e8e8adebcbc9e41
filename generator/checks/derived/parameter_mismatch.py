"""DRV305: published parameter counts against the config's own arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.parameters import Parameters
from generator.derive.parameters.stated_counts import ACTIVE, TOTAL, UNITS, countings, matching
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped


@check("DRV305", Severity.WARNING)
def parameter_mismatch(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A published parameter count is not what the config adds up to.

    Why it matters
    How many parameters a model has decides what it fits on, and the figure is copied more often than it is counted. A
    total may have been read of another model, or with draft layers and n-gram tables in it; an active count may leave
    the input embedding out. A figure holds if one way of counting rounds to its digits; a whole number may also be cut.
    One way is that of the Hub, which sums up the tensors of a checkpoint, with scales and what draft layers repeat.

    Bad
    ```yaml records/models/tiny-c.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny C
    vendor: Tiny Works
    repo: TinyWorks/Tiny-C
    released: 2026-01-02
    license: MIT
    config: "[[tiny-c-config]]"
    architecture:
      model_type: llama
      num_hidden_layers: 4
      hidden_size: 256
      intermediate_size: 1024
      num_attention_heads: 4
      num_key_value_heads: 2
      vocab_size: 1000
      tie_word_embeddings: false
    claims:
      - {field: parameters_total, value: 4.8, unit: million, basis: vendor, cite: "[[tiny-c-config]]"}
    ```
    ```yaml sources/tiny-c-config.yaml
    # yaml-language-server: $schema=../schema/source.schema.json
    title: Tiny-C config.json
    publisher: Tiny Works
    type: hf-config
    url: https://huggingface.co/TinyWorks/Tiny-C/raw/0123456789012345678901234567890123456789/config.json
    locator: https://huggingface.co/TinyWorks/Tiny-C/raw/0123456789012345678901234567890123456789/config.json
    subjects: [hf:TinyWorks/Tiny-C]
    retrieved: 2026-01-05
    upstream_date: 2026-01-02
    retrieval: read
    digest: sha256:2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6
    facts_digest: sha256:cf623dfa9b9feed9ec5c1498a590afe8aa9878a4fec72297a903a53f4d8202bb
    license: MIT
    facts:
      model_type: llama
      num_hidden_layers: 4
      hidden_size: 256
      intermediate_size: 1024
      num_attention_heads: 4
      num_key_value_heads: 2
      vocab_size: 1000
      tie_word_embeddings: false
    ```

    Good
    ```yaml records/models/tiny-c.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny C
    vendor: Tiny Works
    repo: TinyWorks/Tiny-C
    released: 2026-01-02
    license: MIT
    config: "[[tiny-c-config]]"
    architecture:
      model_type: llama
      num_hidden_layers: 4
      hidden_size: 256
      intermediate_size: 1024
      num_attention_heads: 4
      num_key_value_heads: 2
      vocab_size: 1000
      tie_word_embeddings: false
    claims:
      - {field: parameters_total, value: 4.4, unit: million, basis: vendor, cite: "[[tiny-c-config]]"}
      - {field: parameters_active, value: 4.19, unit: million, basis: vendor, cite: "[[tiny-c-config]]"}
    ```
    ```yaml sources/tiny-c-config.yaml
    # yaml-language-server: $schema=../schema/source.schema.json
    title: Tiny-C config.json
    publisher: Tiny Works
    type: hf-config
    url: https://huggingface.co/TinyWorks/Tiny-C/raw/0123456789012345678901234567890123456789/config.json
    locator: https://huggingface.co/TinyWorks/Tiny-C/raw/0123456789012345678901234567890123456789/config.json
    subjects: [hf:TinyWorks/Tiny-C]
    retrieved: 2026-01-05
    upstream_date: 2026-01-02
    retrieval: read
    digest: sha256:2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6
    facts_digest: sha256:cf623dfa9b9feed9ec5c1498a590afe8aa9878a4fec72297a903a53f4d8202bb
    license: MIT
    facts:
      model_type: llama
      num_hidden_layers: 4
      hidden_size: 256
      intermediate_size: 1024
      num_attention_heads: 4
      num_key_value_heads: 2
      vocab_size: 1000
      tie_word_embeddings: false
    ```

    How to fix
    Look the figure up in the cited source, and say under `condition` what it counts. If the source itself is wrong,
    keep its figure and waive this finding with the reason.
    """
    for model in tally.sound(kb, "model"):
        for index, claim in enumerate(model.get("claims") or ()):
            if claim["field"] not in (TOTAL, ACTIVE):
                continue
            found = kb.facts[model.id].parameters
            counted = found if isinstance(found, Parameters) else None
            agreed = matching(claim["value"], claim["unit"], counted, claim["field"]) if counted else None
            if counted is None or agreed is None:
                tally.not_checkable += 1
                continue
            tally.checked += 1
            if not agreed:
                yield _finding(this, model, index, claim, counted)


def _finding(this: Check, model: Record, index: int, claim: dict[str, Any], found: Parameters) -> Finding:
    counts = countings(found, claim["field"])
    unit = claim["unit"]
    scale = UNITS[unit]
    said = ", ".join(f"{_figure(count, scale)} {unit} ({name})" for name, count in counts.items())
    what = "total" if claim["field"] == TOTAL else "active"
    return this.finding(
        model.at("claims", index, "value"),
        f"{claim['value']} {unit} {what} parameters are claimed; the config adds up to {said}",
        model.id,
        data={"claimed": claim["value"], "unit": unit, "counted": counts, "read_from": found.read_from},
    )


def _figure(count: int, scale: int) -> str:
    return grouped(count) if scale == 1 else f"{count / scale:,.2f}"
