"""DRV311: what a checkpoint's files hold, as somebody counted it, against what follows from its config."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.witnesses import ALONE, DIFFERS, SizeWitness, size_witnesses
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.citations import whole
from generator.notation.units import grouped

WHERE = {"elements": ("elements",), "bytes": ("bytes", "total_size")}


@check("DRV311", Severity.ERROR)
def checkpoint_size(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """What was counted in a checkpoint's files is not what its config adds up to, and nothing says why.

    Why it matters
    A count from a config does not see the files, and a sum over the files does not know the layers: each shows where
    the other is wrong. What else files hold is known by number (draft layers, a tied head stored again,
    biases of routers, scales of blocks), so that the two agree to the last element or need a reason. A number that the
    cited source does not state of this repository, and a reason that nothing needs any more, are errors as well.

    Bad
    ```yaml records/models/tiny-c.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny C
    vendor: Tiny Works
    repo: TinyWorks/Tiny-C
    released: 2026-01-02
    license: MIT
    config: "[[tiny-c-config]]"
    checkpoint:
      elements: {value: 4000000, cite: "[[tiny-engine-issue]]"}
    architecture:
      model_type: llama
      num_hidden_layers: 4
      hidden_size: 256
      intermediate_size: 1024
      num_attention_heads: 4
      num_key_value_heads: 2
      vocab_size: 1000
      tie_word_embeddings: false
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
    ```yaml sources/tiny-engine-issue.yaml
    facts: {state: open, elements: {TinyWorks/Tiny-C: 4000000}}
    facts_digest: sha256:fa14c643ff0207553ced40bac757a06fbcf008b1baa7f38dc92de1e16f3cba78
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
    checkpoint:
      elements: {value: 4446464, cite: "[[tiny-engine-issue]]"}
    architecture:
      model_type: llama
      num_hidden_layers: 4
      hidden_size: 256
      intermediate_size: 1024
      num_attention_heads: 4
      num_key_value_heads: 2
      vocab_size: 1000
      tie_word_embeddings: false
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
    ```yaml sources/tiny-engine-issue.yaml
    facts: {state: open, elements: {TinyWorks/Tiny-C: 4446464}}
    facts_digest: sha256:eb22278cb8ecbe6f6a9344cb36759c98d1ce3316a8d0633ace08014d0a4e14f8
    ```

    How to fix
    Compare the number with its source and the keys of the config with theirs. If both are right, say under `differs`
    what else the files hold. If the count is wrong, that is a fault of Servebook.
    """
    for record in tally.sound(kb, "model"):
        found = list(size_witnesses(record, kb.facts[record.id]))
        for one in found:
            mention = whole(one.cite)
            if mention and not _stated(kb.catalog.records.get(mention.id), record, one):
                text = f"{grouped(one.value)} {one.what}: the source does not state that of {record.get('repo')}"
                yield this.finding(record.at("checkpoint", one.what, "value"), text, record.id)
        if all(one.agreement == ALONE for one in found):
            tally.not_checkable += bool(found)
            continue
        tally.checked += 1
        yield from _compared(this, record, found)


def _stated(source: Record | None, record: Record, one: SizeWitness) -> bool:
    """Whether the facts of a source hold the number for this repository, or as the only one."""
    for key in WHERE[one.what]:
        held = source.get("facts", key) if source else None
        if one.value == (held.get(record.get("repo")) if isinstance(held, dict) else held):
            return True
    return False


def _compared(this: Check, record: Record, found: list[SizeWitness]) -> Iterator[Finding]:
    reason = record.get("checkpoint", "differs")
    unlike = [one for one in found if one.agreement == DIFFERS]
    if reason and not unlike:
        text = "`differs` explains a difference that is not there"
        yield this.finding(record.at("checkpoint", "differs"), text, record.id)
    for one in () if reason else unlike:
        assert one.derived is not None
        text = f"the files hold {grouped(one.value)} {one.what}, the config adds up to {grouped(one.derived)}"
        yield this.finding(record.at("checkpoint", one.what, "value"), text, record.id)
