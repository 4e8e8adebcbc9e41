"""A record as YAML in the style of the house; the only module that imports ruamel.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

from generator.catalog.yaml.document import Unreadable
from generator.catalog.yaml.loader import load
from generator.catalog.yaml.scalars import scalar

if TYPE_CHECKING:
    from ruamel.yaml import YAML

_LINE = re.compile(r"[\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
"""What a line may hold unquoted: nothing that YAML, or an editor, would take for a line's end."""


class CannotBeWritten(Exception):
    """Some value does not read back as what it is; the message names its place."""


def as_yaml(record: Mapping[str, Any]) -> str:
    """A record as YAML that our reader reads back unchanged: block style, literal prose, quotes where needed.

    It is read back before it is given away; `CannotBeWritten` says which value would come out as another.
    """
    text = _dumped(record)
    if why := _lost(record, text):
        alone = ((place, {key: value}) for place, key, value in _leaves("", record))
        places = [place for place, leaf in alone if _lost(leaf, _dumped(leaf))]
        raise CannotBeWritten(f"`{places[0] if places else 'the record'}` would not read back as what it is: {why}")
    return text


def _lost(record: Mapping[str, Any], text: str) -> str:
    """Why a text does not read back as a record, types included; empty where it does."""
    try:
        document = load(text)
    except Unreadable as problem:
        return problem.message
    same = repr(document.data) == repr(record)  # unlike ==, it tells 1 from 1.0 and true, and 0.0 from -0.0
    return document.faults[0].message if document.faults else "" if same else "another value is read"


def _leaves(place: str, value: Any, key: str = "value") -> Iterator[tuple[str, str, Any]]:
    """Each key and plain value with its place, as a pair that can be written by itself."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            below = f"{place}.{name}".lstrip(".")
            yield below, name, 1
            yield from _leaves(below, item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(f"{place}[{index}]", item)
    else:
        yield place, key, value


GONE = object()
"""The new value of a field that is taken out."""


def rewritten(text: str, changes: Mapping[tuple[str, ...], Any]) -> str:
    """The text of a record with other values in some places; every other line stays as it is, comments too.

    A field that is not there is written behind the others. Of a mapping the entries that differ are written anew.
    """
    for path, value in changes.items():
        document = load(text)
        holder: Any = document.data
        for part in path[:-1]:
            holder = holder[part]
        key, lines = path[-1], text.splitlines(keepends=True)
        if key not in holder:
            text += "" if value is GONE else _dumped({key: value})
        elif value is GONE or isinstance(value, dict):
            first = holder.key_spans[key][0]
            last = min([span[0] for span in document.data.key_spans.values() if span[0] > first], default=len(lines))
            block = _updated("".join(lines[first:last]), key, value) if isinstance(value, dict) else ""
            text = "".join([*lines[:first], block, *lines[last:]])
        else:
            span = holder.spans[key]
            begin, end = document.offset(*span[:2]), document.offset(*span[2:])
            text = text[:begin] + _dumped({"value": value}).removeprefix("value:").strip() + text[end:]
    return text


def _updated(block: str, key: str, value: Mapping[str, Any]) -> str:
    """The block of one field by a round trip, the entries that differ written anew."""
    editor, out = _yaml(), StringIO()
    held = editor.load(block)
    before = load(block).data[key]
    for name in [name for name in before if name not in value]:
        del held[key][name]
    for name, item in value.items():
        if name not in before or repr(before[name]) != repr(item):
            held[key][_key(name)] = _prepared(item)
    editor.dump(held, out)
    return out.getvalue()


def _yaml() -> YAML:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 110
    yaml.preserve_quotes = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(type(None), lambda rep, _: rep.represent_scalar("tag:yaml.org,2002:null", "null"))
    yaml.representer.add_representer(float, lambda rep, n: rep.represent_scalar("tag:yaml.org,2002:float", repr(n)))
    return yaml


def _dumped(record: Mapping[str, Any]) -> str:
    out = StringIO()
    _yaml().dump(_prepared(dict(record)), out)
    return out.getvalue()


def _prepared(value: Any) -> Any:
    """A value as ruamel writes it in our style."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return {_key(key): _prepared(item) for key, item in value.items()}
    if isinstance(value, list):
        return _flow([_prepared(item) for item in value])
    return value


def _text(value: str) -> Any:
    """A text in a literal block where it has several lines, in quotes where they are needed, plain otherwise."""
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

    lines = value.removesuffix("\n").split("\n")
    literal = all(_LINE.fullmatch(line) for line in lines) and lines[0][:1].strip() and lines[-1].strip()
    if "\n" in value and literal:
        return LiteralScalarString(value)
    read, ambiguous = scalar(value)
    plain = isinstance(read, str) and ambiguous is None and "[[" not in value and value[:1] not in ("?", ":")
    return value if plain and _LINE.fullmatch(value) else DoubleQuotedScalarString(value)


def _key(key: Any) -> Any:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    return key if re.fullmatch(r"[A-Za-z_][\w.-]*", key, re.A) else DoubleQuotedScalarString(key)


def _flow(items: list[Any]) -> Any:
    """Lists of plain values are written on one line (wrapped), lists of mappings below each other."""
    from ruamel.yaml.comments import CommentedSeq

    sequence = CommentedSeq(items)
    if not any(isinstance(item, dict | list) for item in items):
        sequence.fa.set_flow_style()
    return sequence
