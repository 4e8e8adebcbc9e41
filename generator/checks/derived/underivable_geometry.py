"""DRV302: a model whose cache no family proves."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("DRV302", Severity.WARNING)
def underivable_geometry(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """No attention family proves what this model keeps per token.

    Why it matters
    A figure that a formula was not made for is off by 18 to 25 times on latent attention; so there is none, with the
    reason.

    Bad
    ```yaml records/models/tiny-b.yaml
    architecture: {model_type: tiny_mla, num_hidden_layers: 5, num_attention_heads: 4, kv_lora_rank: 32}
    ```

    Good
    ```yaml records/models/tiny-b.yaml
    architecture: {model_type: tiny_mla, num_hidden_layers: 5, num_attention_heads: 4, kv_lora_rank: 32}
    underivable: the record is an example and leaves most fields out
    ```

    How to fix
    State the fields that the message names, from the cited config. A key that is new to us goes into
    `schema/config_keys.yaml` with its role and the reason. Where the document at hand cannot decide it, say so in the
    record's `underivable`: the reason is published in the figure's place. Once the cache can be derived, that text is
    stale and this check says so.

    Where the config leaves a key to its class, `class_defaults` may cite a pinned source that states the default for
    exactly this model type, in its facts: `model_type`, `class` and `defaults`. Sizes, under `default_sizes`, count
    only where the whole config was read (`complete: true`). A citation that fills nothing is idle and is reported, too.
    """
    for model in tally.sound(kb, "model"):
        if model.get("config") is None and not model.get("architecture"):
            tally.not_checkable += 1  # undisclosed: a value, not a gap
            continue
        facts, accepted = kb.facts[model.id], model.get("underivable")
        miscited = "class_defaults" in facts.fields
        if facts.geometry is None and accepted and not miscited:
            tally.not_checkable += 1
            continue
        tally.checked += 1
        if facts.geometry is None:
            message, data = f"not derivable: {facts.reason}", {"fields": list(facts.fields)}
            at = "class_defaults" if miscited else "architecture"
            yield this.finding(model.at(at, key=True), message, model.id, data=data)
            continue
        if accepted:
            message = f"the cache can be derived ({facts.geometry.family}), so this text is stale; remove it"
            yield this.finding(model.at("underivable", key=True), message, model.id)
        if model.get("class_defaults") and facts.class_defaults is None:
            message = "the record and its config state all that is needed, so no class default is used; remove this"
            yield this.finding(model.at("class_defaults", key=True), message, model.id)
