"""WIR203: configs that no field which a record relies on can tell apart."""

from __future__ import annotations

from collections.abc import Iterator

from generator.derive import config_source
from generator.findings import Finding, Related, Severity
from generator.judgement import Check, Tally, check
from generator.knowledge import KnowledgeBase
from generator.records import Record
from generator.wiring import agree, flat_facts


@check("WIR203", Severity.INFO)
def indistinguishable_evidence(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """Two sources agree in every field that a record relies on.

    Why it matters
    The citation cannot be verified by its facts, only by the subject that its source declares. That is no mistake; it
    says where a mistake would be invisible, and why subjects are declared at all.

    Bad
    ```yaml records/models/tiny-a.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny A
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
      Said to be the same as [[tiny-a-copy-config]].
    ```
    ```yaml sources/tiny-a-copy-config.yaml
    # yaml-language-server: $schema=../schema/source.schema.json
    title: Tiny-A-Chat config.json
    publisher: Tiny Works
    type: hf-config
    url: https://huggingface.co/TinyWorks/Tiny-A-Chat/raw/0123456789/config.json
    locator: https://huggingface.co/TinyWorks/Tiny-A-Chat/raw/0123456789/config.json
    subjects: [hf:TinyWorks/Tiny-A-Chat]
    retrieved: 2026-01-05
    upstream_date: 2026-01-02
    retrieval: read-not-hashed
    digest: null
    license: MIT
    facts:
      model_type: tiny_mla
      num_hidden_layers: 4
      hidden_size: 256
      num_attention_heads: 4
      num_key_value_heads: 4
      kv_lora_rank: 32
      qk_nope_head_dim: 16
      qk_rope_head_dim: 8
      v_head_dim: 16
    why_null: {digest: not hashed}
    ```

    Good
    ```yaml records/concepts/right.yaml
    # yaml-language-server: $schema=../../schema/concept.schema.json
    name: An idea
    definition: |
      As in [[tiny-a]].
    cites: ["[[tiny-a-config]]"]
    ```

    How to fix
    Nothing has to be done. A field that does discriminate, if the config has one, may be added to the architecture.
    """
    configs = [
        (source, flat_facts(source)) for source in kb.catalog.sound("source") if source.get("type") == "hf-config"
    ]
    groups: dict[frozenset[str], list[Record]] = {}
    for model in tally.sound(kb, "model"):
        own = config_source(kb.catalog, model)
        relied_on = model.get("architecture") or {}
        if own is None or not relied_on:
            tally.not_checkable += 1
            continue
        if own.id in kb.catalog.unsound or f"hf:{model.get('repo')}" not in own.get("subjects"):
            tally.skipped += 1  # SCH101 or WIR201 has said so
            continue
        tally.checked += 1
        facts = flat_facts(own)
        known = {key: facts[key] for key in relied_on if key in facts}
        alike = {
            source.id
            for source, others in configs
            if source.id != own.id
            and not set(source.get("subjects")) & set(own.get("subjects"))
            and all(key in others and agree(others[key], value) for key, value in known.items())
        }
        if known and alike:
            groups.setdefault(frozenset(alike | {own.id}), []).append(model)
    yield from _one_per_group(this, kb, groups)


def _one_per_group(this: Check, kb: KnowledgeBase, groups: dict[frozenset[str], list[Record]]) -> Iterator[Finding]:
    """Groups that share a source are one group of look-alikes, told once, at its first record."""
    merged: list[tuple[set[str], list[Record]]] = []
    for sources, models in groups.items():
        touching = [group for group in merged if group[0] & sources]
        together = set(sources).union(*(group[0] for group in touching))
        members = [*models, *(model for group in touching for model in group[1])]
        merged = [group for group in merged if group not in touching] + [(together, members)]
    for look_alikes, members in merged:
        models = sorted(members, key=lambda model: model.id)
        first, names = models[0], sorted(look_alikes)
        related = [Related(model.at("config"), "relies on one of them, too") for model in models[1:]]
        related += [Related(kb.catalog.records[id].at("subjects"), "one of the look-alikes") for id in names]
        message = (
            f"{', '.join(names)} agree in every field that {', '.join(model.id for model in models)} "
            f"{'relies' if len(models) == 1 else 'rely'} on; only the declared subject tells them apart"
        )
        data = {"sources": names, "records": [model.id for model in models]}
        yield this.finding(first.at("config"), message, first.id, related, data=data)
