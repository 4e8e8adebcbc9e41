"""The closed world: a config is derived only where every key that could shape the cache is known and accounted for.

Plain GQA is not proved by the absence of other families' keys, so a mechanism that nobody has judged has to show as a
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
    config: Config, keys: ConfigKeys, family: Family, inert: Mapping[str, str], names: Sequence[str], whole: Config
) -> None:
    """Refuse mechanisms that the matching family does not understand, whether a key or the class brings them in.

    ``names`` are the model types and class names that the config goes by, ``whole`` is the config with all that is off.
    """
    known = family.reads | set(inert)
    foreign = [k for k in _stated(config, family) if keys.role(k) in SHAPING and k not in known]
    silent = [statement for statement in keys.must_state(names) if not statement.met(whole)]
    complaints = _foreign(foreign, keys, family, names)
    complaints += [_silent(statement, config) for statement in silent[:1]]
    if complaints:
        wanted = (key for statement in silent[:1] for key in statement.keys or ("model_type",))
        raise Refused("; ".join(complaints), *foreign, *wanted)


def check_known(config: Config, keys: ConfigKeys, family: Family, assumed: Collection[str]) -> None:
    """Refuse a key that nobody has judged, unless the caller vouches for it and its name says nothing against that."""
    unknown = [
        key
        for key in _stated(config, family)
        if keys.role(key) is None and not _vouched(key, keys, assumed) and not keys.proved_inert(key, config)
    ]
    if unknown:
        raise _unknown(unknown, keys, config)


def check_types(config: Config, keys: ConfigKeys, family: Family) -> None:
    """Refuse a key that the family reads in other model types only: nobody has judged what it means in this one."""
    model_type = config.get("model_type")
    stated = [key for key in keys.read_in if key in family.reads and config.get(key) is not None]
    found = [key for key in stated if not keys.is_off(key, config[key]) and str(model_type) not in keys.read_in[key]]
    if found:
        said = (
            f"nobody has judged what {'they mean' if found[1:] else 'it means'} in the model type {shown(model_type)}"
        )
        raise Refused(f"{_list(found)}: {said}", *found)


def check_wrappers(outers: list[dict[str, Any]], inner: Config, keys: ConfigKeys, assumed: Collection[str]) -> None:
    """Refuse a key outside the model's config that is unknown, or that shapes a cache and is not repeated inside."""
    for outer in outers:
        for key, value in outer.items():
            role = keys.role(key)
            if value is None or keys.is_off(key, value) or (role is None and _vouched(key, keys, assumed)):
                continue
            if keys.proved_inert(key, outer):
                continue
            if role is None:
                raise _unknown([key], keys, outer)
            if role in SHAPING and not (key in inner and inner[key] == value):
                raise Refused(_mechanism([key], keys, "not repeated inside the language model's config"), key)


def check_used(
    config: Config, keys: ConfigKeys, used: Collection[str], inert: Mapping[str, str], family: Family
) -> None:
    """Refuse a shaping key that the family could read, but did not read in this config: nobody accounted for it."""
    idle = [k for k in _stated(config, family) if keys.role(k) in SHAPING and k not in used and k not in inert]
    if idle:
        raise Refused(_mechanism(idle, keys, "no part in what was derived, so it is not understood"), *idle)


def _vouched(key: str, keys: ConfigKeys, assumed: Collection[str]) -> bool:
    return key in assumed and not keys.words.why_not_neutral(key)


def _foreign(found: list[str], keys: ConfigKeys, family: Family, names: Sequence[str]) -> list[str]:
    """What a family does not read, with the reason where that was written for a class like this one."""
    judged = [key for key in found if keys.judged_in(key, names)]
    others = [key for key in found if key not in judged]
    here = f"in `{names[0]}`" if names else "in a config that names no class"
    return [
        *([_mechanism(judged, keys, f"not read by the {family.name} family")] if judged else []),
        *(
            [f"{_list(others)}: nobody has judged what {'they keep' if others[1:] else 'it keeps'} {here}"]
            if others
            else []
        ),
    ]


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


def _unknown(found: list[str], keys: ConfigKeys, config: Config) -> Refused:
    """What nobody has judged; only keys whose names do not speak of the cache are offered to be vouched for."""
    read = keys.reads.readers(config) if keys.reads is not None else ()
    said = {key: why for key in found if (why := keys.words.why_not_neutral(key))}
    other = [key for key in found if key not in said]
    parts = [f"unknown config key{'s' if found[1:] else ''} {_list(found)}"]
    if read and keys.reads is not None:
        whose = f"`{config['model_type']}` ({', '.join(read)}; {keys.reads.source})"
        parts.append(f"the code of {whose} reads {'them' if found[1:] else 'it'}")
    if said:
        named = ", ".join(f"`{key}` {why}" for key, why in list(said.items())[:MOST_NAMED])
        parts.append(f"{named}, so a figure without {'them' if said.keys() - {found[0]} else 'it'} would be a guess")
    if other:
        near = difflib.get_close_matches(other[0], list(keys.explicit), n=1, cutoff=0.85)
        flags = " ".join(f"--assume-neutral {key}" for key in other[:MOST_NAMED])
        doubt = f"`{near[0]}` is not what was meant for `{other[0]}`, and " if near else ""
        whose = (
            ("they do" if other[1:] else "it does") if not said else f"{_list(other)} {'do' if other[1:] else 'does'}"
        )
        parts.append(
            f"if {doubt}{whose} not shape the cache, add {'them' if other[1:] else 'it'} to schema/config_keys.yaml as "
            f"neutral with the reason"
        )
        parts.append(f"`servebook kv --config` takes {flags}")
    return Refused("; ".join(parts), *found, open_keys=() if said or read else tuple(found))


def _list(found: list[str]) -> str:
    named = ", ".join(f"`{key}`" for key in found[:MOST_NAMED])
    return f"{named} and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else named
