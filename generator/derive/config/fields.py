"""Typed reading of a config's fields: a number that is not plainly a size is refused, never coerced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

# Far above any model, far below what would fill memory with one name per layer.
MOST_LAYERS = 10_000
MOST = 1 << 30


@dataclass(frozen=True, slots=True)
class NotDerivable:
    """Why there is no geometry, and the config keys to look at.

    ``open_keys`` are the unjudged keys that alone are in the way, where neither their names nor the code of the class
    speak against a figure without them.
    """

    reason: str
    fields: tuple[str, ...] = ()
    open_keys: tuple[str, ...] = ()


class Refused(Exception):
    """Raised while a family reads a config; ``verdict`` is what ``derive`` returns."""

    def __init__(self, reason: str, *fields: str, open_keys: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.verdict = NotDerivable(reason, fields, open_keys)


def is_size(value: object) -> TypeGuard[int]:
    """A positive int that is not a bool."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def shown(value: object) -> str:
    """A value for a message, cut to a readable length; never raises, whatever the value is."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= MOST:
        return "a number of absurd size"  # Python refuses to print ints of more than 4,300 digits
    text = repr(value) if isinstance(value, (int, float, str, type(None))) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def refuse_value(key: str, value: object, wanted: str) -> NoReturn:
    """Refuse a field whose value is of the wrong kind, naming both."""
    raise Refused(f"`{key}` is {shown(value)}; {wanted} is needed", key)


def check_shape(config: object) -> None:
    """Refuse what is not a config at all: anything but an object with keys of text."""
    if not isinstance(config, Mapping):
        raise Refused(f"the config is {shown(config)}; an object is needed")
    if not all(isinstance(key, str) for key in config):
        raise Refused("the config has keys that are not text")


class Fields:
    """A config, and a record of which of its keys were read.

    A dotted name looks inside a nested object: ``attn_config.kv_n_heads``. Null and absent read the same here.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config
        self.used: set[str] = set()

    def get(self, key: str) -> Any:
        """The value as it is, or None; the key counts as read."""
        head, _, rest = key.partition(".")
        value = self._config.get(head)
        if value is None:
            return None
        self.used.add(head)
        if not rest:
            return value
        inner = value.get(rest) if isinstance(value, Mapping) else None
        if inner is not None:
            self.used.add(key)
        return inner

    def model_type(self) -> str | None:
        """The model type where it is text; anything else names no type."""
        value = self.get("model_type")
        return value if isinstance(value, str) else None

    def size(self, key: str, most: int = MOST) -> int:
        """A positive int that must be there."""
        value = self.optional_size(key, most)
        if value is None:
            raise Refused(f"`{key}` is missing; it is not guessed from library defaults", key)
        return value

    def optional_size(self, key: str, most: int = MOST) -> int | None:
        """A positive int, or None where the key is absent or null."""
        value = self.get(key)
        if value is None:
            return None
        if not is_size(value):
            refuse_value(key, value, "a positive whole number")
        if value > most:
            raise Refused(f"`{key}` is above {most:,}: no such model is known", key)
        return int(value)

    def switch(self, key: str) -> bool:
        """A boolean that must be there."""
        value = self.get(key)
        if value is None:
            raise Refused(f"`{key}` is missing; it is not guessed from library defaults", key)
        if not isinstance(value, bool):
            refuse_value(key, value, "true or false")
        return value

    def any_of(self, *keys: str) -> int | None:
        """The size under one of these spellings, or None; two that disagree are refused."""
        found = {key: value for key in keys if (value := self.optional_size(key)) is not None}
        if len(set(found.values())) > 1:
            raise Refused(" and ".join(f"`{k}` {v}" for k, v in found.items()) + " disagree", *found)
        return next(iter(found.values()), None)

    def first_of(self, *keys: str) -> int:
        """The size under one of these spellings, which must be there."""
        value = self.any_of(*keys)
        if value is None:
            others = f" (nor {', '.join(f'`{key}`' for key in keys[1:])})" if keys[1:] else ""
            raise Refused(f"`{keys[0]}` is missing{others}; it is not guessed from library defaults", keys[0])
        return value

    def numbers(self, key: str) -> list[int]:
        """A list of ints at or above 0 that must be there."""
        value = self.get(key)
        if value is None:
            raise Refused(f"`{key}` is missing; it is not guessed from library defaults", key)
        if not isinstance(value, list) or not all(is_size(x) or (x == 0 and type(x) is int) for x in value):
            refuse_value(key, value, "a list of whole numbers")
        return list(value)


def layer_count(fields: Fields, *spellings: str) -> int:
    """``num_hidden_layers`` under one of its spellings, within reason."""
    count = fields.first_of(*spellings or ("num_hidden_layers",))
    if count > MOST_LAYERS:
        key = (spellings or ("num_hidden_layers",))[0]
        raise Refused(f"`{key}` is {count:,}: no such model is known", key)
    return count
