"""The record that somebody means by an id, a Hub repository, a name or an alias."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from generator.catalog.records import Catalog, Record

MOST_NEAR = 3


def meant(catalog: Catalog, word: str, kind: str | None = None) -> tuple[Record, ...]:
    """The records that go by a word: one by its id, old or new, else all whose names agree but for case, then dashes.

    Names are a model's repository and its last part, a record's title, and its aliases. An id of another kind than the
    one that is asked for is found all the same: the caller says what it is.
    """
    id = catalog.redirects.get(word, word)
    if id in catalog.records:
        return (catalog.records[id],)
    called = [(record, name) for record in _of(catalog, kind) for name in names(record)]
    for form in (str.lower, _plain, _joined):
        wanted = form(word)
        found = [record for record, name in called if wanted and form(name) == wanted]
        if found:
            own = [record for record in found if form(record.id) == wanted]
            return tuple(dict.fromkeys(own or found))
    return ()


def in_version(catalog: Catalog, engine: Record, version: str) -> Record | None:
    """The record of an engine in another version, where there is one."""
    alike = (each for each in catalog.of("engine") if each.title == engine.title)
    return next((each for each in alike if str(each.get("version")) == version), None)


def names(record: Record) -> list[str]:
    """What a record may be called by."""
    aliases = record.get("aliases")
    repo = record.get("repo")
    hub = [str(repo), str(repo).rpartition("/")[2]] if repo else []
    return [record.id, record.title, *hub, *(map(str, aliases) if isinstance(aliases, list) else ())]


def nearest(catalog: Catalog, word: str, kind: str | None = None) -> list[str]:
    """The ids of records whose names are nearest to a word: by their letters, else by the words in them."""
    by_name = {_plain(name): record.id for record in _of(catalog, kind) for name in names(record)}
    close = difflib.get_close_matches(_plain(word), by_name, n=2 * MOST_NEAR)
    found = [by_name[name] for name in close] or _sharing_words(word, by_name)
    return list(dict.fromkeys(found))[:MOST_NEAR]


def _sharing_words(word: str, by_name: dict[str, str]) -> list[str]:
    """Ids of names that share most words with the one that was typed: ``a100`` and ``a100-sxm-80gb``."""
    typed = set(_plain(word).split("-"))
    shared = {name: len(typed & set(name.split("-"))) for name in by_name}
    return [by_name[name] for name in sorted(shared, key=lambda name: (-shared[name], len(name), name)) if shared[name]]


def _of(catalog: Catalog, kind: str | None) -> Iterable[Record]:
    return catalog.of(kind) if kind else catalog.records.values()


def _joined(name: str) -> str:
    """A name without its dashes: ``rtx4090``."""
    return _plain(name).replace("-", "")


def _plain(name: str) -> str:
    """A name as ids are written: lower case, its words joined by hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))
