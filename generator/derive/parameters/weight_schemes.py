"""Which scheme a checkpoint states for its weights: in its config, or in a file next to it.

Each dialect of these files is a row of ``methods`` in ``schema/weight_schemes.yaml``. A key that no row knows, a list
that a copy leaves out and a value that no layout is on record for are refused, never passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.derive.config.fields import Refused, is_size, shown
from generator.derive.parameters.weight_layouts import WeightLayout, layout_from

Stated = Mapping[str, Any]
KEY = "quantization_config"
HEAD = "lm_head"
MOST_NAMES = 200_000
LONGEST_NAME = 200


@dataclass(frozen=True)
class SchemeGroup:
    """A layout and what it is for: module names, or None for all matrices."""

    layout: WeightLayout
    key: str
    targets: tuple[str, ...] | None = None


@dataclass(frozen=True)
class WeightScheme:
    """What a checkpoint says about its weights.

    ``kept`` names what stays as it is, and ``kept_key`` is where that is stated; ``head`` says whether the output
    embedding stays; ``covers`` the components that the method is for, None for all; ``experts`` a layout of the routed
    experts' own.
    """

    method: str
    groups: tuple[SchemeGroup, ...]
    kept: tuple[str, ...] | None
    kept_key: str
    head: str
    covers: frozenset[str] | None = None
    experts: WeightLayout | None = None


@dataclass(frozen=True)
class SchemeReader:
    """Reads schemes by the table; `unquantised` are the bits of the plain type, `inner` the language model's config.

    `lists_left_out`: a list of what stays that a copy leaves out is read as if only the output embedding were in it.
    """

    table: Mapping[str, Any]
    unquantised: int
    inner: Mapping[str, Any]
    lists_left_out: bool = False

    def read(self, stated: Stated, method: str | None = None) -> WeightScheme:
        """A scheme as an object states it; raises Refused where it does not say what is needed."""
        name = self._method(stated, method)
        row = self.table["methods"][name]
        self._check_keys(stated, row, name)
        key, kept = self._kept(stated, row)
        covers = frozenset(row["covers"]) if "covers" in row else None
        groups = tuple(self._groups(stated, row, name))
        return WeightScheme(name, groups, kept, key, row["head"], covers, self._experts(stated, row))

    def _kept(self, stated: Stated, row: Stated) -> tuple[str, tuple[str, ...] | None]:
        """The names of what stays as it is, None where no list is stated, and the key to look at."""
        keys = [key for key in row["kept"] if stated.get(key) is not None]
        if not keys:
            if row.get("list_needed"):
                words = " or ".join(f"`{key}`" for key in row["kept"])
                raise Refused(f"`{KEY}`: {words} is missing, so nothing says which matrices stay as they are", KEY)
            return row["kept"][0], None
        scheme = stated.get("quant_algo") or stated.get("quant_method") or row["layouts"][0]["layout"]
        of = f" of a checkpoint in {scheme}" if isinstance(scheme, str) else ""
        lists = {key: [HEAD] if self.lists_left_out and _left_out(stated[key]) else stated[key] for key in keys}
        return keys[0], tuple(name for key, names in lists.items() for name in listed_names(key, names, of))

    def _method(self, stated: Stated, given: str | None) -> str:
        named = stated.get("quant_method")
        if named is None:
            producer = stated.get("producer")
            named = producer.get("name") if isinstance(producer, Mapping) else None
            named = named or given or ("modelopt" if stated.get("quant_algo") is not None else None)
        for name, row in self.table["methods"].items():
            if named == name or named in row.get("named", ()):
                return str(name)
        if named is None:
            raise Refused(f"`{KEY}` does not say by which method the weights are quantised", KEY)
        raise Refused(f"`{KEY}`: how {shown(named)} stores weights is not on record", KEY)

    def _check_keys(self, stated: Stated, row: Stated, name: str) -> None:
        """The closed world of a method: every key is known, and those that would change the layout hold what it is."""
        read = {key for layout in row["layouts"] for key in layout.get("when", ())}
        read |= {*row.get("kept", ()), *row.get("defaults", ()), "quant_method"}
        read |= {row.get(key) for key in ("groups", "each")}
        read |= {*row["keys"], *row.get("mixed", ()), *(("group_size",) if row.get("defaults") else ())}
        for key, value in stated.items():
            if key not in read and value is not None:
                raise Refused(f"`{KEY}` has {shown(key)}, which is not known of {name}", KEY)
        for key, allowed in row.get("must", {}).items():
            if stated.get(key) not in allowed:
                raise Refused(f"`{KEY}`: {key} is {shown(stated[key])}; what that stores is not known here", KEY)
        for key, harmless in row.get("empty", {}).items():
            value = stated.get(key)
            if value and not (harmless and isinstance(value, Mapping) and harmless.items() <= value.items()):
                raise Refused(f"`{KEY}` has `{key}`, and what that stores is not known here", KEY)

    # --- layouts ----------------------------------------------------------------------------------------------------

    def _groups(self, stated: Stated, row: Stated, name: str) -> Iterator[SchemeGroup]:
        mixed = row.get("mixed")
        if mixed and all(stated.get(key) == value for key, value in mixed.items()):
            yield from self._each(stated, row, name)
        elif "groups" in row:
            yield from self._by_group(stated, row, name)
        else:
            yield SchemeGroup(self._layout(stated, row, name), KEY)

    def _by_group(self, stated: Stated, row: Stated, name: str) -> Iterator[SchemeGroup]:
        groups = stated.get(row["groups"])
        if not isinstance(groups, Mapping) or not groups:
            raise Refused(f"`{KEY}`: `{row['groups']}` is {shown(groups)}; an object of groups is needed", KEY)
        for group in groups.values():
            scheme = group.get(row["scheme"]) if isinstance(group, Mapping) else None
            if not isinstance(scheme, Mapping):
                raise Refused(f"`{KEY}`: a group of `{row['groups']}` does not say how weights are stored", KEY)
            handed = {key: group.get(key) or stated.get(key) for key in row.get("inherits", ())}
            targets = listed_names("targets", group.get("targets"))
            layout = self._layout({**scheme, **handed}, row, name)
            yield SchemeGroup(layout, "targets", None if "Linear" in targets else targets)

    def _each(self, stated: Stated, row: Stated, name: str) -> Iterator[SchemeGroup]:
        """Matrices that are named one by one, each with its scheme; those of one scheme are one group."""
        key = row["each"]
        entries = stated.get(key)
        if not isinstance(entries, Mapping) or not entries:
            raise Refused(f"`{key}` is {shown(entries)}; an object of modules is needed to know what is quantised", KEY)
        layouts: dict[str, WeightLayout] = {}
        members: dict[str, list[str]] = {}
        for module, scheme in entries.items():
            if not isinstance(scheme, Mapping):
                raise Refused(f"`{key}` has {shown(scheme)} for {shown(module)}; an object is needed", KEY)
            spelled = repr(sorted(scheme.items(), key=repr))
            if spelled not in layouts:
                layouts[spelled] = self._layout(scheme, row, name)
            members.setdefault(spelled, []).append(str(module))
        for spelled, layout in layouts.items():
            yield SchemeGroup(layout, key, tuple(members[spelled]))

    def _layout(self, scheme: Stated, row: Stated, name: str) -> WeightLayout:
        for each in row["layouts"]:
            wanted = each.get("when", {})
            if all(_holds(scheme, key, value) for key, value in wanted.items()):
                sizes = {**row.get("defaults", {}), **{key: scheme[key] for key in scheme if is_size(scheme[key])}}
                for key in ("weight_block_size", "block_structure"):
                    if wanted.get(key) == "sizes":
                        sizes |= {"block_rows": scheme[key][0], "block_columns": scheme[key][1]}
                return layout_from(self.table, self._own(each["layout"]), sizes, self.unquantised)
        asked = dict.fromkeys(key for each in row["layouts"] for key in each.get("when", ()))
        said = ", ".join(f"{key} {shown(scheme.get(key))}" if key in scheme else f"no {key}" for key in asked)
        raise Refused(f"`{KEY}`: {name} with {said}: no layout of these weights is on record", KEY)

    def _own(self, layout: str) -> str:
        exceptions = self.table["model_types"].get(str(self.inner.get("model_type")), {})
        return str(exceptions.get("layouts", {}).get(layout, layout))

    def _experts(self, stated: Stated, row: Stated) -> WeightLayout | None:
        of = row.get("experts")
        value = (stated.get(of["key"]) or self.inner.get(of["key"])) if of else None
        if of is None or value is None:
            return None
        if value not in of["layouts"]:
            raise Refused(f"`{of['key']}` is {shown(value)}, and how such experts are stored is not on record", KEY)
        layout = of["layouts"][value]
        return layout_from(self.table, layout, {}, self.unquantised) if layout else None


def listed_names(key: str, value: Any, of: str = "") -> tuple[str, ...]:
    """A list of modules as a config states it; raises Refused for what is neither a list of names nor means one."""
    names = [value] if isinstance(value, str) and not value.startswith("<") else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Refused(f"`{key}`{of} is {shown(value)}; a list of modules is needed to know what is quantised", KEY)
    if omitted := [name for name in names if name.startswith("<")]:
        raise Refused(f"`{key}`{of} names {shown(omitted[0])}, and what that leaves out is not known here", KEY)
    if len(names) > MOST_NAMES or any(len(name) > LONGEST_NAME for name in names):
        raise Refused(f"`{key}` is longer than any list of modules", KEY)
    return tuple(names)


def _left_out(names: Any) -> bool:
    """Whether a copy has a word such as ``<93 module names omitted>`` where the list would be."""
    first = names[0] if isinstance(names, list) and len(names) == 1 else names
    return isinstance(first, str) and first.startswith("<")


def _holds(scheme: Stated, key: str, wanted: Any) -> bool:
    value = scheme.get(key)
    if wanted == "size":
        return is_size(value)
    if wanted == "sizes":
        return isinstance(value, list) and len(value) == 2 and all(is_size(side) for side in value)
    if wanted == "names":
        return isinstance(value, list)
    if wanted == "null":
        return key in scheme and value is None
    if isinstance(wanted, list):
        return value in wanted
    return type(value) is type(wanted) and value == wanted
