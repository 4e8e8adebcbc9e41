"""Tables as CSV, corrections as an Atom feed, and llms.txt, from which a program finds all of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from markupsafe import Markup, escape

from generator.site.edition import Edition
from generator.site.html import render
from generator.site.html.links import Style
from generator.site.machine.api import Published, number
from generator.site.machine.openapi import ROOT
from generator.site.site import Site


def tables(site: Site) -> Iterator[Published]:
    """Models, GPUs and gotchas, a row each. Fields that are not known are empty."""
    yield f"{ROOT}/models.csv", _csv(_models(site))
    gpus: list[list[object]] = [["id", "name", "vendor", "compute_capability", "memory_bytes"]]
    for gpu in site.kb.catalog.sound("gpu"):
        memory = (gpu.get("memory") or {}).get("bytes")
        gpus.append([gpu.id, gpu.title, gpu.get("vendor"), gpu.get("compute_capability"), memory])
    yield f"{ROOT}/gpus.csv", _csv(gpus)
    gotchas: list[list[object]] = [
        ["id", "title", "symptom", "engine", "gpus", "models", "effect", "status", "versions", "met_by_models"]
    ]
    for row in site.gotchas.rows:
        about = [" ".join(row.gpus), " ".join(row.about), row.effect, row.status, row.versions, row.models]
        gotchas.append([row.gotcha.id, row.gotcha.title, row.gotcha.get("symptom"), row.whose, *map(_cell, about)])
    yield f"{ROOT}/gotchas.csv", _csv(gotchas)


def _models(site: Site) -> Iterator[list[object]]:
    yield ["id", "name", "vendor", "repo", "family", "layers", "bf16_bytes_per_token", "context"]
    for model in site.kb.catalog.sound("model"):
        facts = site.kb.facts[model.id]
        plain = facts.figure("bf16")
        shape = [facts.geometry.family, len(facts.geometry.layer_types)] if facts.geometry else [None, None]
        growth = number(plain.growth) if plain else None
        yield [model.id, model.title, model.get("vendor"), model.get("repo"), *shape, growth, facts.longest]


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _csv(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV. A text that a spreadsheet would take for a formula begins with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        cells = map(_cell, row)
        writer.writerow("'" + cell if cell[:1] in ("=", "+", "-", "@", "\t") else cell for cell in cells)
    return out.getvalue()


def feed(site: Site, edition: Edition, style: Style, url: str) -> Published:
    """The corrections as an Atom feed, the latest first. Without an address of the site its links are relative."""
    base = url.rstrip("/") + "/" if url else ""
    entries = [
        Markup(
            "<entry><id>urn:servebook:correction:{id}:{date}:{n}</id><title>{title}</title>"
            '<updated>{date}T00:00:00Z</updated><link href="{base}{address}#corrections"/>'
            '<content type="text">Wrong: {wrong} Right: {right}</content></entry>\n'
        ).format(
            id=record.id,
            n=number,
            date=one["date"],
            title=render.clip(record.title),
            base=base,
            address=style.address(site.path(record)),
            wrong=render.plain(site.prose(one["wrong"], record)),
            right=render.plain(site.prose(one["right"], record)),
        )
        for number, (record, one) in enumerate(site.corrections)
    ]
    head = Markup(
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        "<id>urn:servebook:corrections</id><title>Servebook: corrections</title><author><name>Servebook</name></author>"
        '<updated>{}T00:00:00Z</updated><link rel="self" href="{}feed.xml"/>\n'
    ).format(edition.date, base)
    return "feed.xml", str(head + Markup("").join(entries) + Markup("</feed>\n"))


def llms(site: Site, edition: Edition, style: Style) -> Published:
    """What there is for programs, as https://llmstxt.org has it: relative addresses, each with what it holds."""
    commit = f", commit {edition.commit}" if edition.commit else ""
    lines = [
        "# Servebook",
        "",
        "> What it takes to serve a large language model: bytes of KV cache per token, which engine serves which model",
        "> on which GPU and why, and what goes wrong. Each value has its sources; what is not known says why.",
        "",
        f"As of {edition.date}{commit}. Each page has a Markdown twin, `index.md` next to it.",
        "A state that says neither yes nor no is not a no.",
        "",
        "## Data",
        "",
        f"- [Index of the API]({ROOT}/index.json): counts and lists",
        f"- [OpenAPI description]({ROOT}/openapi.json): every path and schema",
    ]
    for kind in site.kb.catalog.kinds:
        if kind.name in ("model", "engine", "gpu", "gotcha", "source"):
            lines.append(f"- [{kind.plural}]({ROOT}/{kind.path}/index.json): {kind.about}")
    lines += [
        f"- [Verdicts]({ROOT}/verdicts/index.json): for each model, every engine and GPU with its chain of reasons",
        f"- [Models as CSV]({ROOT}/models.csv), [GPUs as CSV]({ROOT}/gpus.csv), [gotchas as CSV]({ROOT}/gotchas.csv)",
        "- [Corrections as a feed](feed.xml)",
        "",
        "## Guides",
        "",
    ]
    for page in site.kb.catalog.docs:
        title = next((line[2:] for line in page.document.text.splitlines() if line.startswith("# ")), page.path)
        lines.append(f"- [{escape(title)}]({style.address(page.path.removeprefix('docs/'))})")
    return "llms.txt", "\n".join([*lines, ""])
