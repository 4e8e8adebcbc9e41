"""DRV308: a config field that is taken for what it is not."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.checks.texts import passages
from generator.derive.attention.geometry import Geometry
from generator.derive.config.keys import ConfigKeys
from generator.derive.facts import Facts
from generator.derive.sizing import sizing_fields
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.config_fields.as_evidence import taken_as_evidence, windows_taken_for_compressed


@check("DRV308", Severity.WARNING)
def misread_field(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A field of the config is given as evidence about the KV cache, and has no part in it.

    Why it matters
    DeepSeek-V4's `num_hash_layers` was called "paired with the KV ratios" and the cache "hashed"; `expert_dtype`,
    `hc_mult` and `o_lora_rank` were signs of a "compressed cache". They are a router, a weight type, residual streams
    and an output projection, and the cache was sized wrong because of them. Which keys are neutral, and what each
    decides, is in `schema/config_keys.yaml`. Read are a model's own sentences in which such fields and the cache
    are on both sides of one verb; any word of doubt or of no effect silences the sentence. A window that is called
    the compressed cache is found too. A warning and no error, since a sentence is read by a small grammar.

    Bad
    ```yaml records/models/tiny-a.yaml
    architecture:
      q_lora_rank: 48
    notes: |
      One row per token, see [[tiny-latent]]: `q_lora_rank` 48 shows a compressed cache.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    architecture:
      q_lora_rank: 48
    notes: |
      One row per token, see [[tiny-latent]]: `kv_lora_rank` shows a latent cache, `q_lora_rank` is a weight's shape.
    ```

    How to fix
    Name the fields that the message gives, or none: the model's page shows how the figure comes about. If the key does
    shape a cache, its role in `schema/config_keys.yaml` is wrong.
    """
    for passage in passages(kb, tally, ("model",)):
        facts, text = kb.facts.get(passage.record.id), passage.text.value
        if facts is None or facts.geometry is None:
            tally.not_checkable += 1
            continue
        tally.checked += 1
        told = [
            *((taken.start, taken.end, _fields(facts, kb.keys, taken.keys)) for taken in taken_as_evidence(text)),
            *((start, end, _window(facts.geometry)) for start, end in windows_taken_for_compressed(text)),
        ]
        for start, end, message in told:
            if message and not kb.names.mentioned(passage.sentence(start), facts.id):
                yield this.finding(passage.place(start, end), message, facts.id)


def _fields(facts: Facts, keys: ConfigKeys, named: tuple[str, ...]) -> str:
    """What neutral ones of some fields really decide, and which fields size the cache; empty without neutral ones."""
    idle = [key for key in dict.fromkeys(named) if key in facts.config and keys.says_nothing(key)]
    if not idle:
        return ""
    reasons = ", ".join(f"`{key}` ({keys.why(key)})" for key in idle)
    sizing = ", ".join(f"`{key}`" for key in sizing_fields(facts, keys))
    return f"not evidence about the cache: {reasons}; this model's cache follows from {sizing}"


def _window(geometry: Geometry) -> str:
    """What the window of a model is, and what of its cache is compressed; empty for a model without windows."""
    sizes = sorted({stream.entries.n for stream in geometry.streams if stream.role == "window"})
    pooled = dict.fromkeys(s.layer_type for s in geometry.streams if s.entries.rule == "pooled" and s.role == "kv")
    if not sizes:
        return ""
    kept = f"the window is not a compressed cache: it keeps the last {' or '.join(map(str, sizes))} tokens as they are"
    return kept + (f"; compressed are the entries of {' and '.join(pooled)}" if pooled else "")
