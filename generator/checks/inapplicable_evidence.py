"""CMP503: a constraint that its own record excludes for this model."""

from __future__ import annotations

from collections.abc import Iterator

from generator.compatibility.conditions import about_model
from generator.compatibility.reasons import cited
from generator.findings import Finding, Related, Severity
from generator.judgement import Check, Tally, check
from generator.knowledge import KnowledgeBase
from generator.records import Record


@check("CMP503", Severity.WARNING)
def inapplicable_evidence(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A model names a constraint that, by its own conditions, is not about this model.

    Why it matters
    A limit of one model or one release, copied to its siblings, becomes a limit that nobody can find the reason of: a
    page size that only layers of ratio 2 produce, or a library release that dropped the model altogether.

    Bad
    ```yaml records/gotchas/tiny-wide.yaml
    # yaml-language-server: $schema=../../schema/gotcha.schema.json
    title: Wide heads are refused
    symptom: "ValueError: head"
    conditions:
      - {engine: "[[tiny-engine]]", families: [gqa]}
    cause: |
      The kernel was built for narrow heads.
    effect: blocked
    workaround: |
      None.
    status: open
    cites: ["[[tiny-engine-issue]]"]
    ```
    ```yaml records/models/tiny-a.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny A
    vendor: Tiny Works
    repo: TinyWorks/Tiny-A
    released: 2026-01-02
    license: MIT
    config: "[[tiny-a-config]]"
    constraints: ["[[tiny-wide]]"]
    architecture:
      architectures: [TinyMlaForCausalLM]
      model_type: tiny_mla
      num_hidden_layers: 4
      hidden_size: 256
      num_attention_heads: 4
      num_key_value_heads: 4
      kv_lora_rank: 32
      qk_nope_head_dim: 16
      qk_rope_head_dim: 8
      v_head_dim: 16
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny A
    vendor: Tiny Works
    repo: TinyWorks/Tiny-A
    released: 2026-01-02
    license: MIT
    config: "[[tiny-a-config]]"
    constraints: ["[[tiny-crash]]"]
    architecture:
      architectures: [TinyMlaForCausalLM]
      model_type: tiny_mla
      num_hidden_layers: 4
      hidden_size: 256
      num_attention_heads: 4
      num_key_value_heads: 4
      kv_lora_rank: 32
      qk_nope_head_dim: 16
      qk_rope_head_dim: 8
      v_head_dim: 16
    ```

    How to fix
    Take the constraint out of `constraints`; prose may still say why it does not apply. If it does apply, correct the
    conditions of the gotcha, or what the kernel `excludes`.
    """
    for model in tally.sound(kb, "model"):
        for index, text in enumerate(model.get("constraints") or ()):
            record = next((kb.catalog.records[id] for id in cited(text) if id in kb.catalog.records), None)
            if record is None or record.id in kb.catalog.unsound:
                tally.skipped += 1
                continue
            tally.checked += 1
            why = _excluded(kb, model, record)
            if why:
                related = [Related(record.at(*why[1]), "what it says of itself")]
                message = f"`{record.id}` is no constraint of this model: {why[0]}"
                yield this.finding(model.at("constraints", index), message, model.id, related)


def _excluded(kb: KnowledgeBase, model: Record, record: Record) -> tuple[str, tuple[str, ...]] | None:
    """Why a gotcha or a kernel is not about a model, and the field that says so."""
    profile = kb.verdicts.profiles[model.id]
    own = f"{profile.architecture or 'a class that is not on record'}, of the family {profile.family or 'not derived'}"
    if record.kind == "gotcha":
        if any(about_model(when, profile, None) for when in record.get("conditions")):
            return None
        return f"none of its conditions names {own}", ("conditions",)
    excludes = record.get("excludes") or {}
    if profile.architecture in (excludes.get("architectures") or ()):
        return f"{record.title} states that it is not for {profile.architecture}", ("excludes",)
    if profile.family in (excludes.get("families") or ()):
        return f"{record.title} states that it is not for the family {profile.family}", ("excludes",)
    return None
