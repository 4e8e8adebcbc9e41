"""A config.json that a user names: read once, with every way in which it is not one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generator.cli.targets import Stop
from generator.derive.config.file_kinds import FileKinds

MOST_BYTES = 16 * 1024 * 1024
"""More than any config.json; a device that never ends is not read forever."""


def config_at(path: Path, table: Mapping[str, Any]) -> dict[str, Any]:
    """The object that a file holds; whatever else it holds stops the run with what it is.

    ``table`` is ``schema/file_kinds.yaml``.
    """
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise Stop(f"{path}: the key `{twice}` appears twice, and nothing says which one counts")
        return dict(pairs)

    kinds = FileKinds(table)
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
    if (other := kinds.of_json(data)) is not None:
        raise Stop(f"{path} holds no config: {other}")
    return dict(data)


def _bytes(path: Path) -> bytes:
    """What a regular file holds, and not much more; a pipe or a device may never end, and is not waited for."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise Stop(f"{path} is not a regular file, so it is not a config.json")
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)
