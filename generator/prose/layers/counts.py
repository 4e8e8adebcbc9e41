"""How many layers prose says that its subject has: "the model has 61 layers", "its 61 layers", "61 layers in total".

Layers for drafting may be counted in. A number that is that of one kind of layers may mean these, and is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.derive.config.layer_lists import LAYERS
from generator.prose.reading.assertions import asserted
from generator.prose.reading.sentences import sentence_at
from generator.prose.statements import NOTHING, NamedValues, Statement, StatementKind

TOTALS = (*LAYERS, "num_layers")
"""Config keys that count all layers; LongCat counts pairs beside blocks."""

DRAFTS = "num_nextn_predict_layers"

_LAYERS = r"(?:(?:decoder|transformer|hidden|backbone)\s+)?layers\b"
_ALL = r"(?:\s+(?:in\s+(?:total|all)|altogether|overall)\b)"
_ENDS = rf"(?=\s*(?:[.,;:)]|$)|{_ALL})"
_COUNTS = (
    re.compile(
        rf"\b(?:this|the)\s+(?:model|checkpoint|backbone)\s+(?:has|counts)\s+(?P<count>\d+)\s+{_LAYERS}{_ENDS}", re.I
    ),
    re.compile(rf"(?:^[ \t]*+|(?<=[.;:]\s)|(?<=[.;:]\s\s))It\s+has\s+(?P<count>\d+)\s+{_LAYERS}{_ENDS}", re.M),
    re.compile(rf"\bits\s+(?P<count>\d+)\s+{_LAYERS}{_ENDS}", re.I),
    re.compile(rf"(?<![\w.,-])(?P<count>\d+)\s+{_LAYERS}{_ALL}", re.I),
)
_OF_A_PART = re.compile(
    r"\b(?:vision|visual|image|audio|speech|encoders?|towers?|drafts?|drafting|MTP|predictors?|adapters?|heads?|prefill|"
    r"groups?|stages?|ranks?|first|last)\b",
    re.I,
)


def layer_counts(text: str, names: NamedValues = NOTHING) -> Iterator[Statement]:
    """All of them, said outright of the whole model."""
    totals = {int(names.values[key]) for key in TOTALS if key in names.values} | {names.layers or 0}
    right = totals | {total + int(names.values.get(DRAFTS, 0)) for total in totals}
    for pattern in _COUNTS if names.layers else ():
        for match in pattern.finditer(text):
            count = int(match["count"])
            before = sentence_at(text, max(0, sentence_at(text, match.start())[0] - 2))[0]
            around = text[before : sentence_at(text, match.start())[1]]
            if count in names.kinds.values() or _OF_A_PART.search(around) or not asserted(text, *match.span()):
                continue
            what = f"`num_hidden_layers` is {names.layers}"
            yield Statement(
                StatementKind.PARTITION, *match.span("count"), count in right, what, names=("num_hidden_layers",)
            )
