"""The closed world: a config is derived only where every key that could shape the cache is known and accounted for.

Plain GQA is not proved by the absence of other families' keys, so a mechanism nobody told us about has to show as a
key nobody has judged (docs/kv-geometry.md#fields-that-mislead).
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from generator.derive.attention.families import Family
from generator.derive.config.fields import Refused, shown
from generator.derive.config.keys import SHAPING, ConfigKeys, MustState

Config = Mapping[str, Any]
MOST_NAMED = 4


def check_mechanisms(
    config: Config, keys: ConfigKeys, family: Family, inert: Mapping[str, str], silent: Sequence[MustState]
) -> None:
    """Refuse mechanisms that the matching family does not understand, whether a key or the class brings them in.

    ``silent`` are the statements that the class asks for and the config does not make.
    """
    known = family.reads | set(inert)
    foreign = [k for k in _stated(config, family) if keys.role(k) in SHAPING and k not in known]
    complaints = [_mechanism(foreign, keys, f"not read by the {family.name} family")] if foreign else []
    complaints += [_silent(statement, config) for statement in silent[:1]]
    if complaints:
        wanted = (key for statement in silent[:1] for key in statement.keys or ("model_type",))
        raise Refused("; ".join(complaints), *foreign, *wanted)


def check_known(config: Config, keys: ConfigKeys, family: Family, assumed: Collection[str]) -> None:
    """Refuse a key that nobody has judged, unless the caller vouches for it."""
    unknown = [k for k in _stated(config, family) if keys.role(k) is None and k not in assumed]
    if unknown:
        raise Refused(_unknown(unknown, keys), *unknown)


def check_wrappers(outers: list[dict[str, Any]], inner: Config, keys: ConfigKeys, assumed: Collection[str]) -> None:
    """Refuse a key beside the language model's config that is unknown, or shapes a cache and is not repeated inside."""
    for outer in outers:
        for key, value in outer.items():
            role = keys.role(key)
            if value is None or keys.is_off(key, value) or (role is None and key in assumed):
                continue
            if role is None:
                raise Refused(_unknown([key], keys), key)
            if role in SHAPING and not (key in inner and inner[key] == value):
                raise Refused(_mechanism([key], keys, "not repeated inside the language model's config"), key)


def check_used(
    config: Config, keys: ConfigKeys, used: Collection[str], inert: Mapping[str, str], family: Family
) -> None:
    """Refuse a shaping key that the family could read, but did not read in this config: nobody accounted for it."""
    idle = [k for k in _stated(config, family) if keys.role(k) in SHAPING and k not in used and k not in inert]
    if idle:
        raise Refused(_mechanism(idle, keys, "no part in what was derived, so it is not understood"), *idle)


def _stated(config: Config, family: Family) -> Iterator[str]:
    """Keys with a value; an object is opened where the family reads inside it, so that it is closed there too."""
    for key, value in config.items():
        if value is None:
            continue
        yield key
        if isinstance(value, Mapping) and any(read.startswith(f"{key}.") for read in family.reads):
            yield from (f"{key}.{inner}" for inner, part in value.items() if part is not None)


def _silent(statement: MustState, config: Config) -> str:
    """The class switches something on by itself, and the config does not say whether it did, or cannot."""
    if not statement.keys:
        return f"`model_type` {shown(config.get('model_type'))}: {statement.why}"
    wanted = " or ".join(f"`{key}`" for key in statement.keys[:3])
    wanted += " or its like" if statement.keys[3:] else ""
    return f"{wanted} is missing, and absence proves nothing here: {statement.why}"


def _mechanism(found: list[str], keys: ConfigKeys, verdict: str) -> str:
    """Each mechanism once, with its keys: what the reader has to know is which designs these are."""
    by_why: dict[str, list[str]] = {}
    for key in found:
        by_why.setdefault(keys.why(key), []).append(key)
    return "; ".join(f"{_list(names)} ({why})" for why, names in by_why.items()) + f": {verdict}"


def _unknown(found: list[str], keys: ConfigKeys) -> str:
    near = difflib.get_close_matches(found[0], list(keys.explicit), n=1, cutoff=0.85)
    flags = " ".join(f"--assume-neutral {key}" for key in found[:MOST_NAMED])
    return (
        f"unknown config key{'s' if found[1:] else ''} {_list(found)}; "
        + (f"if `{near[0]}` is not what was meant for `{found[0]}`, and " if near else "if ")
        + f"{'they do' if found[1:] else 'it does'} not shape the cache, "
        f"add {'them' if found[1:] else 'it'} to schema/config_keys.yaml as neutral with the reason; "
        f"`servebook kv --config` takes {flags}"
    )


def _list(found: list[str]) -> str:
    named = ", ".join(f"`{key}`" for key in found[:MOST_NAMED])
    return f"{named} and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else named
