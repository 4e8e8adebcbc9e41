"""A config.json that a user names: read once, with every way in which it is not one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.cli.targets import Stop
from generator.derive.config.dialects import Dialects
from generator.derive.config.fields import Refused
from generator.derive.config.file_kinds import FileKinds
from generator.notation.gguf import MAGIC, NotGguf, metadata

MOST_BYTES = 16 * 1024 * 1024
"""More than any config.json; a device that never ends is not read forever."""


@dataclass(frozen=True)
class AskedConfig:
    """A config in Hugging Face's names; ``dialect`` is what the file is where it was written in others."""

    keys: dict[str, Any]
    dialect: str | None = None


def config_at(path: Path, table: Mapping[str, Any]) -> dict[str, Any]:
    """The config.json in a file; whatever else it holds stops the run with what it is.

    ``table`` is ``schema/file_kinds.yaml``.
    """
    kinds = FileKinds(table)
    data = _object_at(path, kinds)
    if (other := kinds.of_json(data)) is not None:
        raise Stop(f"{path} holds no config: {other}")
    return dict(data)


def any_config_at(path: Path, tables: Mapping[str, Any]) -> AskedConfig:
    """The same, with the dialects of ``schema/dialects.yaml`` put into Hugging Face's names; also of a GGUF file."""
    kinds = FileKinds(tables.get("file_kinds", {}))
    data = _gguf_at(path) or _object_at(path, kinds)
    try:
        if found := Dialects(tables.get("dialects", {})).translated(data):
            return AskedConfig(*found)
    except Refused as refused:
        raise Stop(f"{path}: {refused}") from None
    if (other := kinds.of_json(data)) is not None:
        raise Stop(f"{path} holds no config: {other}")
    return AskedConfig(dict(data))


def _gguf_at(path: Path) -> dict[str, object] | None:
    """The metadata at the head of a GGUF file; None for a file of another kind."""
    try:
        if not path.is_file():  # opening a pipe may wait for ever
            return None
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return None
        return metadata(_bytes(path))
    except NotGguf as problem:
        raise Stop(f"{path} begins like a GGUF file, but {problem}") from None
    except OSError:  # whoever reads it as JSON says what is wrong
        return None


def _object_at(path: Path, kinds: FileKinds) -> Any:
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise Stop(f"{path}: the key `{twice}` appears twice, and nothing says which one counts")
        return dict(pairs)

    try:
        text = _bytes(path)
        if (other := kinds.of_bytes(text)) is not None:
            raise Stop(f"{path} holds no config: {other}")
        if len(text) > MOST_BYTES:
            raise Stop(f"{path} is larger than {MOST_BYTES:,} bytes; no config is")
        # Python refuses to read a number of more than 4,300 digits; a hundred of them are absurd enough.
        data = json.loads(
            text.decode("utf-8-sig"),
            object_pairs_hook=once,
            parse_int=lambda digits: int(digits[:100]),
            parse_constant=str,  # JSON knows no Infinity; what Python's writer makes of it stays the text, as on record
        )
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except OSError as error:
        raise Stop(f"{path}: {error.strerror}") from None
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        raise Stop(f"{path} holds {half}, half of a character, which no text can hold") from None
    except UnicodeDecodeError:
        raise Stop(f"{path} is not UTF-8, so it is not a config.json") from None
    except ValueError as error:
        raise Stop(f"{path} is not JSON: {error}") from None
    except RecursionError:
        raise Stop(f"{path} is nested too deeply for a config") from None
    return data


def _bytes(path: Path) -> bytes:
    """What a regular file holds, and not much more; a pipe or a device may never end, and is not waited for."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise Stop(f"{path} is not a regular file, so it is not a config.json")
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)
