"""The hand-written pages of ``docs/``, and what is barred there and among the templates."""

from __future__ import annotations

from pathlib import Path

from generator.catalog.disk.authored import contents, tree
from generator.catalog.read.files import decoded
from generator.catalog.records import Prose
from generator.catalog.yaml.document import Document, Unreadable
from generator.findings import Fault, Location


def read_docs(root: Path) -> tuple[tuple[Prose, ...], tuple[Fault, ...]]:
    """The Markdown files below ``docs/``, and a fault for each file there, or template, that is not read."""
    found = [tree(root, top) for top in ("docs", "templates")]
    faults = [Fault("YML001", Location(barred.path), barred.why) for each in found for barred in each.barred]
    docs = []
    for path in found[0].files:
        if not path.endswith(".md"):
            continue
        try:
            text = decoded(contents(root, path))
        except Unreadable as problem:
            faults.append(Fault("YML001", Location.of(path, problem.span), problem.message))
        except OSError as error:
            faults.append(Fault("YML001", Location(path), f"cannot be read: {error.strerror}"))
        else:
            docs.append(Prose(path, Document(text, None, (0, 0, text.count("\n") + 1, 0))))
    return tuple(docs), tuple(faults)
