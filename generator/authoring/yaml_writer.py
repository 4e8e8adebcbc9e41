"""A record as YAML in the style of the house; the only module that imports ruamel.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from typing import Any

from generator.catalog.yaml.scalars import scalar


def as_yaml(record: Mapping[str, Any]) -> str:
    """A record as YAML that our reader reads back unchanged: block style, literal prose, quotes where needed."""
    from ruamel.yaml import YAML
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

    def prepared(value: Any) -> Any:
        if isinstance(value, str):
            if "\n" in value:
                return LiteralScalarString(value if value.endswith("\n") else value + "\n")
            return DoubleQuotedScalarString(value) if _needs_quotes(value) else value
        if isinstance(value, Mapping):
            return {key: prepared(item) for key, item in value.items()}
        if isinstance(value, list):
            return _flow([prepared(item) for item in value])
        return value

    yaml = YAML()
    yaml.width = 110
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(type(None), lambda rep, _: rep.represent_scalar("tag:yaml.org,2002:null", "null"))
    yaml.representer.add_representer(float, lambda rep, n: rep.represent_scalar("tag:yaml.org,2002:float", repr(n)))
    out = StringIO()
    yaml.dump(prepared(dict(record)), out)
    return out.getvalue()


def _flow(items: list[Any]) -> Any:
    """Lists of plain values stand on one line (wrapped), lists of mappings below each other."""
    from ruamel.yaml.comments import CommentedSeq

    sequence = CommentedSeq(items)
    if not any(isinstance(item, dict | list) for item in items):
        sequence.fa.set_flow_style()
    return sequence


def _needs_quotes(text: str) -> bool:
    value, ambiguous = scalar(text)
    return not isinstance(value, str) or ambiguous is not None or "[[" in text
