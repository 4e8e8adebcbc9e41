"""WIR203: configs that are equal in every field that a record relies on."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.cited_config import CitedConfig
from generator.findings import Finding, Related, Severity
from generator.knowledge.evidence.lookalikes import Configs, joined
from generator.knowledge.knowledge_base import KnowledgeBase


@check("WIR203", Severity.INFO)
def indistinguishable_evidence(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """Two sources agree in every field that a record relies on.

    Why it matters
    The citation cannot be verified by its facts, only by the subject that its source declares. That is not a mistake;
    it says where a mistake would be invisible, and why subjects are declared at all.

    Bad
    ```yaml records/models/tiny-a.yaml
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
    why_null: {digest: not hashed}
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      As in [[tiny-a]].
    ```

    How to fix
    Nothing has to be done. A field that does discriminate, if the config has one, may be added to the architecture.
    """
    configs = [source for source in kb.catalog.sound("source") if source.get("type") == "hf-config"]
    index = Configs((source.id, CitedConfig(source).flat) for source in configs)
    about = _by_subject(configs)
    groups: dict[frozenset[str], list[Record]] = {}
    for model in tally.sound(kb, "model"):
        cited = CitedConfig.of(kb.catalog, model)
        own = cited.source
        relied_on = model.get("architecture") or {}
        if own is None or not relied_on:
            tally.not_checkable += 1
            continue
        if own.id in kb.catalog.unsound or f"hf:{model.get('repo')}" not in own.get("subjects"):
            tally.skipped += 1  # SCH101 or WIR201 has said so
            continue
        tally.checked += 1
        alike = index.agreeing({key: cited.flat[key] for key in relied_on if key in cited.flat})
        revisions = {id for subject in own.get("subjects") for id in about.get(subject, ()) if id != own.id} & alike
        if revisions:
            alike -= revisions  # of the same subject: no reading of either is a mistake
        if own.id not in alike:
            alike |= {own.id}  # a class used in place of a config
        if len(alike) > 1:
            groups.setdefault(alike, []).append(model)
    for names, models in joined(groups):
        yield _finding(this, kb, sorted(names), sorted(models, key=lambda model: model.id))


def _by_subject(sources: list[Record]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for source in sources:
        for subject in source.get("subjects"):
            found.setdefault(subject, []).append(source.id)
    return found


def _finding(this: Check, kb: KnowledgeBase, names: list[str], models: list[Record]) -> Finding:
    """Look-alikes are reported once, at the first record that relies on one of them."""
    first, *others = models
    related = [Related(model.at("config"), "relies on one of them, too") for model in others]
    related += [Related(kb.catalog.records[id].at("subjects"), "one of the look-alikes") for id in names]
    message = (
        f"{', '.join(names)} agree in every field that {', '.join(model.id for model in models)} "
        f"{'rely' if others else 'relies'} on; they differ only in the declared subject"
    )
    data = {"sources": names, "records": [model.id for model in models]}
    return this.finding(first.at("config"), message, first.id, related, data=data)
