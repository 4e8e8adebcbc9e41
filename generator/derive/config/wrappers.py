"""Which part of a Hugging Face config is the language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.config.fields import Refused, shown

# Names under which multimodal wrappers keep their language model.
WRAPPERS = ("text_config", "language_config", "llm_config")


def wrapped(config: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The wrappers' own keys, outermost first, and the language model's config.

    Raises Refused where a wrapper key holds no object, or there are two of them.
    """
    outers: list[dict[str, Any]] = []
    inner = dict(config)
    while present := [key for key in WRAPPERS if inner.get(key) is not None]:
        if len(present) > 1 or len(outers) > 3:
            raise Refused(f"more than one language model: {', '.join(present)}", *present)
        text = inner[present[0]]
        if not isinstance(text, Mapping):
            raise Refused(f"`{present[0]}` is {shown(text)}; an object is needed", present[0])
        outers.append({key: value for key, value in inner.items() if key != present[0]})
        inner = dict(text)
    return outers, inner


def unwrap(config: Mapping[str, Any]) -> dict[str, Any]:
    """The language model's config: what is under ``text_config`` (or its like), else the config itself.

    ``architectures``, ``quantization_config`` and the outer ``model_type`` stay outside: they are identity. A config
    whose wrapper is malformed is returned as it is; ``derive`` says what is wrong with it.
    """
    try:
        return wrapped(config)[1]
    except Refused:
        return dict(config)


def with_defaults(config: Mapping[str, Any], defaults: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A config with absent keys filled in, and what was filled; a stated null stays. A dotted key fills an object."""
    full, filled = dict(config), {}
    for key, value in defaults.items():
        head, _, part = key.partition(".")
        if not part:
            absent = key not in full
            full.setdefault(key, value)
        else:
            inside = full.get(head, {})
            absent = isinstance(inside, Mapping) and part not in inside
            full[head] = {**inside, part: value} if absent else inside
        if absent:
            filled[key] = value
    return full, filled
