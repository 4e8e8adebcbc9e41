"""DRV304: a list with one entry per layer that has another number of entries."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.cited_config import CitedConfig
from generator.derive.config.layer_lists import LAYERS, LayerList, layer_lists
from generator.findings import Finding, Severity
from generator.knowledge.evidence.config_comparison import Pair, disagreements
from generator.knowledge.knowledge_base import KnowledgeBase

MTP = "num_nextn_predict_layers"


@check("DRV304", Severity.ERROR)
def list_length(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A list that speaks of each layer does not have as many entries as there are layers.

    Why it matters
    Which layers keep what is read off these lists, and an entry too many is one layer too many in every figure. That of
    a draft layer is easily taken for one: DeepSeek-V4-Flash has 43 layers and a list of 44 entries. Such a tail is
    accepted where the config says how many MTP or draft layers there are. A list that names layers by their numbers
    must not go beyond the last one.

    Bad
    ```yaml records/models/tiny-a.yaml
    architecture:
      mlp_layer_types: [dense, sparse, sparse]
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    architecture:
      num_nextn_predict_layers: 1
      mlp_layer_types: [dense, sparse, sparse, sparse, sparse]
    ```

    How to fix
    Read the list in the cited config again, entry by entry; then the layer count. Where the config has more entries
    than layers, state the field that counts its MTP or draft layers as well.
    """
    table = kb.catalog.tables.get("layer_lists", {})
    for model in tally.sound(kb, "model"):
        written = model.get("architecture") or {}
        known = {**kb.facts[model.id].config, **written}
        found = [one for one in layer_lists(known, table) if one.path[0] in written]
        tally.not_checkable += not found
        for one in found:
            tally.checked += 1
            if not one.holds:
                yield _finding(this, kb, model, one)


def _finding(this: Check, kb: KnowledgeBase, model: Record, one: LayerList) -> Finding:
    facts = kb.facts[model.id]
    absorbs = [("DRV302", model.id)] if one.path[0] in {field.split(".")[0] for field in facts.fields} else []
    differing = disagreements(model, CitedConfig.of(kb.catalog, model))
    telling = {key: differing[key] for key in (one.path[0], *LAYERS, MTP) if key in differing}
    if telling and telling.keys() == differing.keys() and not _reordered(differing):
        absorbs.append(("WIR202", model.id))
    data = {"field": one.key, "length": one.length, "kinds": dict(one.kinds), "accepted": dict(one.accepted)}
    message = _message(one, list(telling))
    return this.finding(model.at("architecture", *one.path), message, model.id, data={**data, "absorbs": absorbs})


def _reordered(differing: dict[str, Pair]) -> bool:
    """Whether a list differs from the source's, but not in its length: then that is another mistake."""
    lists = ([here, there] for here, there in differing.values() if isinstance(here, list) and isinstance(there, list))
    return any(len(here) == len(there) for here, there in lists)


def _message(one: LayerList, differing: list[str]) -> str:
    kinds = ", ".join(f"{count} × {kind}" for kind, count in one.kinds.items())
    right = " or ".join(f"{length} ({what})" for what, length in one.accepted.items())
    if one.numbered:
        said = f"`{one.key}` names layer {one.length}; the last one is {right}"
    else:
        said = f"`{one.key}` has {one.length} entries{f' ({kinds})' if kinds else ''}; there should be {right}"
    theirs = ", ".join(f"`{key}`" for key in differing)
    return f"{said}; the cited config has another {theirs}" if differing else said
