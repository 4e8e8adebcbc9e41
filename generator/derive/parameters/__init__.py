"""How many parameters a config's model has: config in, numbers out. This package never sees a record or a file.

``count`` gives the parameters or says why it cannot; ``weight_bytes`` turns them into bytes. Counts are those of the
language model; what else a checkpoint holds (draft layers, n-gram tables, vision) is listed apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.config.fields import NotDerivable, Refused, check_shape, shown
from generator.derive.config.wrappers import wrapped
from generator.derive.parameters.elements import explained
from generator.derive.parameters.model_types import BY_TYPE, Model
from generator.derive.parameters.parts import COMPONENTS, LOOKED_UP, Apart, Parameters, Part
from generator.derive.parameters.reading import Reading
from generator.derive.parameters.switches import settled
from generator.derive.parameters.weighing import WeightBytes
from generator.derive.parameters.weight_bytes import elements_bytes, weight_bytes

__all__ = [
    "COMPONENTS",
    "LOOKED_UP",
    "Apart",
    "NotDerivable",
    "Parameters",
    "Part",
    "WeightBytes",
    "count",
    "elements_bytes",
    "explained",
    "weight_bytes",
]

TIE = "tie_word_embeddings"
MOST = 10**15  # no model is near; what is above is a typo


def count(
    config: Mapping[str, Any], class_defaults: Mapping[str, Any] | None = None, elements: int | None = None
) -> Parameters | NotDerivable:
    """The parameters of a Hugging Face config, or the reason why there are none; never raises.

    A field that is absent is taken from ``class_defaults``, which the caller has a pinned source for, else refused; a
    switch may follow from the number of ``elements`` that the checkpoint holds.
    """
    found = _counted(config, class_defaults or {})
    if elements is None or not isinstance(found, NotDerivable):
        return found
    return settled(lambda given: _counted(config, {**(class_defaults or {}), **given}), found, elements) or found


def _counted(config: Mapping[str, Any], defaults: Mapping[str, Any]) -> Parameters | NotDerivable:
    try:
        return _count(config, defaults)
    except Refused as refused:
        return refused.verdict


def _count(config: Mapping[str, Any], defaults: Mapping[str, Any]) -> Parameters:
    check_shape(config)
    outers, inner = wrapped(config)
    check_shape(inner)
    _tie(outers, inner)
    model = _model(inner, outers)
    fields = Reading(inner, defaults)
    apart = (*(model.reader(fields) or ()), *_outside(outers, inner, fields))
    if unread := list(fields.unread()):
        names = ", ".join(f"`{key}`" for key in unread)
        raise Refused(f"{names}: brings parameters with it that {model.source} does not have", *unread)
    found = Parameters(
        inner["model_type"],
        model.source,
        tuple(fields.parts),
        fields.tied,
        apart,
        frozenset(fields.used),
        fields.assumed,
        tuple(dict.fromkeys(fields.silent)),
    )
    if found.total > MOST:
        raise Refused("the fields multiply to more parameters than any model has")
    return found


def _tie(outers: list[dict[str, Any]], inner: dict[str, Any]) -> None:
    """A wrapper's word on tied embeddings holds for the language model, which often does not repeat it."""
    for outer in outers:
        stated = outer.get(TIE)
        if stated is not None and inner.get(TIE) not in (None, stated):
            raise Refused(f"`{TIE}` is {shown(inner[TIE])} inside and {shown(stated)} outside", TIE)
        if stated is not None:
            inner[TIE] = stated


def _model(inner: Mapping[str, Any], outers: list[dict[str, Any]]) -> Model:
    name = inner.get("model_type")
    if not isinstance(name, str):
        raise Refused("`model_type` is missing, so nothing says which layers these are", "model_type")
    model = BY_TYPE.get(name)
    if model is None:
        raise Refused(f"the layers of model type {shown(name)} are not known here", "model_type")
    for config in (inner, *outers):
        classes = config.get("architectures") or []
        if not isinstance(classes, list) or not all(isinstance(each, str) for each in classes):
            raise Refused("`architectures` is not a list of class names", "architectures")
        strange = [each for each in classes if each not in model.classes and not _wraps(each, config in outers)]
        if strange:
            raise Refused(f"{shown(strange[0])} is not {model.classes[0]}, whose layers are known", "architectures")
    return model


def _wraps(name: str, outer: bool) -> bool:
    return outer and name.endswith(("ForConditionalGeneration", "ForCausalLM"))


def _outside(outers: list[dict[str, Any]], inner: Mapping[str, Any], fields: Reading) -> list[Apart]:
    """Towers and draft layers that are there, but that this count is not of."""
    found = []
    for key, name in (("vision_config", "vision"), ("audio_config", "audio")):
        if any(config.get(key) for config in (*outers, inner)):
            found.append(Apart(name, None, "a tower with a config of its own: not counted"))
    for key in ("num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers"):
        if key not in fields.used and inner.get(key):
            found.append(Apart("mtp", None, f"`{key}` draft layers: not counted"))
    return found
