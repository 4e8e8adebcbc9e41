"""The hand-written pages of ``docs/``, and what is barred or left by a merge there, in templates and in mkdocs.yml."""

from __future__ import annotations

from pathlib import Path

from generator.catalog.disk.authored import contents, tree
from generator.catalog.read.conflicts import CONFLICT
from generator.catalog.read.files import decoded
from generator.catalog.records import Prose
from generator.catalog.yaml.document import Document, Unreadable
from generator.findings import Fault, Location

SETTINGS = "mkdocs.yml"


def read_docs(root: Path) -> tuple[tuple[Prose, ...], tuple[Fault, ...]]:
    """The Markdown files below ``docs/``, and a fault for each file there, or template, that is not read.

    Of templates and of ``mkdocs.yml``, which others read, only what an unfinished merge left is looked for.
    """
    docs_folder, templates = (tree(root, top) for top in ("docs", "templates"))
    barred = (*docs_folder.barred, *templates.barred)
    faults = [Fault("YML001", Location(each.path), each.why) for each in barred]
    docs = []
    for path in docs_folder.files:
        if path.endswith(".md"):
            text, fault = _text(root, path)
            faults += [fault] if fault else []
            docs += [] if fault else [Prose(path, Document(text, None, (0, 0, text.count("\n") + 1, 0)))]
    settings = [SETTINGS] if (root / SETTINGS).is_file() else []
    for path in (*settings, *(path for path in templates.files if path.endswith(".html"))):
        fault = _text(root, path)[1]
        faults += [fault] if fault and fault.code == CONFLICT else []
    return tuple(docs), tuple(faults)


def _text(root: Path, path: str) -> tuple[str, Fault | None]:
    try:
        return decoded(contents(root, path), markdown=path.endswith(".md")), None
    except Unreadable as problem:
        return "", Fault(problem.code, Location.of(path, problem.span), problem.message)
    except OSError as error:
        return "", Fault("YML001", Location(path), f"cannot be read: {error.strerror}")
