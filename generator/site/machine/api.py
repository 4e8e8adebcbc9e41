"""The records and what follows from them as JSON, one file per record and one list per kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from generator.catalog.kinds import Kind
from generator.catalog.records import Record
from generator.site.edition import Edition
from generator.site.html.links import Style
from generator.site.machine.openapi import KINDS, ROOT, description
from generator.site.site import Site

Published = tuple[str, str]
"""Where a file is, relative to the root of the site, and its text."""


def api(site: Site, edition: Edition, style: Style, url: str) -> Iterator[Published]:
    """All files of the API; the same base, edition and address give the same bytes. `url` is the site's, or empty."""
    head = {"as_of": edition.date, "commit": edition.commit or None}
    kinds = [site.kb.catalog.kinds[name] for name in KINDS if name in site.kb.catalog.kinds]
    counts = {kind.path: len(list(site.kb.catalog.sound(kind.name))) for kind in kinds}
    lists = {**{kind.path: f"{kind.path}/index.json" for kind in kinds}, "verdicts": "verdicts/index.json"}
    yield f"{ROOT}/index.json", text({**head, "url": url or None, "counts": counts, "lists": lists})
    yield f"{ROOT}/openapi.json", text(description(url))
    for kind in kinds:
        yield from _kind(site, kind, head, style)
    models = list(site.kb.catalog.sound("model"))
    rows = [{"id": model.id, "title": model.title, "json": f"verdicts/{model.id}.json"} for model in models]
    yield f"{ROOT}/verdicts/index.json", text({**head, "kind": "verdict", "items": rows})
    for model in models:
        yield f"{ROOT}/verdicts/{model.id}.json", text({**head, **verdicts(site, model)})


def _kind(site: Site, kind: Kind, head: Mapping[str, Any], style: Style) -> Iterator[Published]:
    rows = []
    for record in site.kb.catalog.sound(kind.name):
        page = style.address(site.path(record))
        row = {"id": record.id, "title": record.title, "page": page}
        rows.append({**row, "json": f"{kind.path}/{record.id}.json"})
        more = figures(site, record) if kind.name == "model" else {}
        body = {**head, "kind": kind.name, **row, "file": record.path, "record": record.data, **more}
        yield f"{ROOT}/{kind.path}/{record.id}.json", text(body)
    yield f"{ROOT}/{kind.path}/index.json", text({**head, "kind": kind.name, "items": rows})


def figures(site: Site, model: Record) -> dict[str, Any]:
    """What the cache of a model costs in each layout, or why that is not known."""
    facts = site.kb.facts[model.id]
    return {
        "family": facts.geometry.family if facts.geometry else None,
        "no_figure": None if facts.figures else str(facts.no_figure or facts.reason or "not derivable"),
        "doubts": [word for word, _ in site.doubts(model)],
        "figures": [
            {
                "layout": figure.key,
                "bytes_per_token": number(figure.growth),
                "geometry_only": bool(figure.geometry_only),
                "engines": list(figure.engines),
            }
            for figure in facts.figures
        ],
    }


def verdicts(site: Site, model: Record) -> dict[str, Any]:
    """The answers for a model on each engine: GPUs with one answer in one group; a step is given once, by number."""
    steps: dict[tuple[str, str, str, tuple[str, ...]], int] = {}
    engines = {}
    for engine in site.answers.engines:
        engines[engine.id] = [
            {
                "state": str(group.state),
                "gpus": list(group.gpus),
                "reasons": [
                    steps.setdefault((each.rule, str(each.effect), each.text, each.cites), len(steps))
                    for each in group.reasons
                ],
                "modifiers": list(group.modifiers),
                "would_change_with": list(group.flips_if),
            }
            for group in site.answers.of(model.id)[engine.id].groups
        ]
    reasons = [
        {"rule": rule, "effect": effect, "text": said, "sources": list(cites)} for rule, effect, said, cites in steps
    ]
    return {"kind": "verdict", "id": model.id, "title": model.title, "engines": engines, "reasons": reasons}


def number(value: Fraction | int) -> int | str:
    """A number without loss: an integer, else a fraction as text, ``27/4``."""
    return int(value) if Fraction(value).denominator == 1 else str(Fraction(value))


def text(value: Any) -> str:
    """JSON as it is published: keys in their order, one line, dates as ISO text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"
