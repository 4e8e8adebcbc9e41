"""The closed world: a config is derived only where every key that could shape the cache is known and accounted for.

Plain GQA is not proved by the absence of other families' keys, so a mechanism nobody told us about has to show as a
key nobody has judged (decisions.md, "A closed world of config keys").
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from generator.attention.config import SHAPING, ConfigKeys
from generator.attention.families import Family
from generator.attention.fields import Refused

Config = Mapping[str, Any]
MOST_NAMED = 4


def check_mechanisms(config: Config, keys: ConfigKeys, family: Family, inert: Mapping[str, str]) -> None:
    """Refuse a shaping key that the matching family does not understand, naming the key and its mechanism."""
    foreign = [k for k in _stated(config, keys, family) if keys.role(k) in SHAPING and k not in family.reads | set(inert)]
    if foreign:
        raise Refused(_mechanism(foreign, keys, f"not read by the {family.name} family, which fits otherwise"), *foreign)


def check_known(config: Config, keys: ConfigKeys, family: Family, assumed: Collection[str]) -> None:
    """Refuse a key that nobody has judged, unless the caller vouches for it."""
    unknown = [k for k in _stated(config, keys, family) if keys.role(k) is None and k not in assumed]
    if unknown:
        raise Refused(_unknown(unknown), *unknown)


def check_statements(config: Config, keys: ConfigKeys, names: Collection[str]) -> None:
    """Refuse where the model's class would switch a mechanism on by itself and the config does not say."""
    for statement in keys.must_state(names):
        if not statement.met(config):
            wanted = " or ".join(f"`{key}`" for key in statement.keys[:3]) + (" or its like" if statement.keys[3:] else "")
            raise Refused(f"{wanted} is missing, and absence proves nothing here: {statement.why}", *statement.keys)


def check_wrappers(outers: list[dict[str, Any]], inner: Config, keys: ConfigKeys, assumed: Collection[str]) -> None:
    """Refuse a key beside the language model's config that is unknown, or that shapes a cache and is not repeated inside."""
    for outer in outers:
        for key, value in outer.items():
            role = keys.role(key)
            if value is None or key in assumed and role is None:
                continue
            if role is None:
                raise Refused(_unknown([key]), key)
            if role in SHAPING and not (key in inner and inner[key] == value):
                raise Refused(_mechanism([key], keys, "beside the language model's config, and not repeated inside"), key)


def check_used(config: Config, keys: ConfigKeys, used: Collection[str], inert: Mapping[str, str], family: Family) -> None:
    """Refuse a shaping key that the family could read, but did not read in this config: nobody accounted for it."""
    idle = [
        k
        for k in _stated(config, keys, family)
        if keys.role(k) in SHAPING and k not in used and k not in inert
    ]
    if idle:
        raise Refused(_mechanism(idle, keys, "no part in what was derived, so it is not understood"), *idle)


def _stated(config: Config, keys: ConfigKeys, family: Family) -> Iterator[str]:
    """Keys with a value; a shaping object that the family reads is opened, so that it is closed inside too."""
    for key, value in config.items():
        if value is None:
            continue
        yield key
        if isinstance(value, Mapping) and keys.role(key) in SHAPING and key in family.reads:
            yield from (f"{key}.{inner}" for inner, part in value.items() if part is not None)


def _mechanism(found: list[str], keys: ConfigKeys, verdict: str) -> str:
    """Each mechanism once, with its keys: what the reader has to know is which designs these are."""
    by_why: dict[str, list[str]] = {}
    for key in found:
        by_why.setdefault(keys.why(key), []).append(key)
    return "; ".join(f"{_list(names)} ({why})" for why, names in by_why.items()) + f": {verdict}"


def _unknown(found: list[str]) -> str:
    flags = " ".join(f"--assume-neutral {key}" for key in found[:MOST_NAMED])
    return (
        f"unknown config key{'s' if found[1:] else ''} {_list(found)}; if it does not shape the cache, "
        f"add it to schema/config_keys.yaml as neutral with the reason, or pass {flags}"
    )


def _list(found: list[str]) -> str:
    named = ", ".join(f"`{key}`" for key in found[:MOST_NAMED])
    return f"{named} and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else named
