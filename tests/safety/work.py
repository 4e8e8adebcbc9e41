"""How much work each check does on a text, counted; run as a process of its own, before anything of ours is imported.

Counted are the lines of Python that are run, and the characters that patterns are run over. A search counts the whole
stretch that it may go through; `pattern_time` proves of every pattern that it needs no more than time in proportion to
that. A match at one place counts what it has matched. Not counted is what Python's own functions do inside (finding,
slicing and joining texts), which is a thousand times cheaper and of which the limit on the length of a prose field is
the bound.

    python tests/safety/work.py SIZE SIZE [SHAPE]...  ->  {"work": {shape: {part: [W1, W2]}}, "patterns": [...]}
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TINY = ROOT / "tests/bases/tiny"
NOTES, DEFINITION = "records/models/tiny-a.yaml", "records/concepts/tiny-latent.yaml"
READERS = ("/generator/", "/markdown_it/")
"""Whose lines are counted: our own, and those of the Markdown reader, which texts go through."""
SENTENCE = 150
"""Sentences are cut at so many characters here, so that small texts show what large ones do."""


@cache
def is_read(path: str) -> bool:
    """Whether the lines of a file are counted."""
    return any(part in path for part in READERS)


class Counter:
    """Lines run, characters read, and which patterns were used how."""

    work = 0
    used: dict[tuple[str, int], tuple[str, set[str]]] = {}  # noqa: RUF012

    @classmethod
    def called(cls, frame: Any, event: str, _: Any) -> Any:
        """What Python asks at each call: how its lines are to be counted, if they are."""
        if not is_read(frame.f_code.co_filename):
            return None
        cls.work += 1
        return cls.line

    @classmethod
    def line(cls, frame: Any, event: str, _: Any) -> Any:
        cls.work += 1
        return cls.line


class Counted:
    """A compiled pattern that counts the characters which it is run over."""

    def __init__(self, pattern: re.Pattern[str], methods: set[str]) -> None:
        self._pattern, self._methods = pattern, methods

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._pattern, name)
        if not callable(value):
            return value
        self._methods.add(name)
        return _anchored(value) if name in ("match", "fullmatch") else _searching(value, name)


def _anchored(method: Callable[..., Any]) -> Callable[..., Any]:
    def run(text: str, *places: int) -> Any:
        found = method(text, *places)
        Counter.work += found.end() - found.start() if found else 1
        return found

    return run


def _searching(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    def run(*arguments: Any, **named: Any) -> Any:
        text = named.get("string", arguments[1] if name in ("sub", "subn") else arguments[0])
        places = arguments[1:3] if name in ("search", "finditer", "findall") else ()
        start, end = places[0] if places else 0, min(places[1], len(text)) if len(places) > 1 else len(text)
        found = method(*arguments, **named)
        Counter.work += max(0, (found.end() if name == "search" and found else end) - start)
        return found

    return run


def observe() -> None:
    """Make every pattern that our code compiles one that counts; others are left alone."""
    compiled = re._compile  # type: ignore[attr-defined]

    def compile_(pattern: Any, flags: int) -> Any:
        if isinstance(pattern, Counted):
            return pattern
        made = compiled(pattern, flags)
        frame = sys._getframe(1)
        while frame.f_code.co_filename == re.__file__ and frame.f_back:
            frame = frame.f_back
        where = frame.f_code.co_filename
        if f"{ROOT}/generator/" not in where or not isinstance(made.pattern, str):
            return made
        place = f"{where.removeprefix(f'{ROOT}/')}:{frame.f_lineno}"
        _, methods = Counter.used.setdefault((made.pattern, made.flags), (place, set()))
        return Counted(made, methods)

    re._compile = compile_  # type: ignore[attr-defined]


# --- measuring --------------------------------------------------------------------------------------------------------


class Tiny:
    """The tiny base with a text in two of its records. What costs the same for every text is read once."""

    def __init__(self, folder: Path) -> None:
        import generator.catalog.read as reading

        self.root = folder / "base"
        shutil.copytree(TINY, self.root)
        for name in ("engines", "gpus", "gotchas"):
            shutil.rmtree(self.root / "records" / name)
        self._written = {name: (self.root / name).read_text("utf-8") for name in (NOTES, DEFINITION)}
        schema = reading.read_schema(self.root)
        reading.read_schema = lambda _: schema  # type: ignore[assignment]
        self.before = reading.read(self.root)

    def with_text(self, text: str) -> Path:
        """The base with a text for the notes of a model and the definition of a concept."""
        block = r"(?m)^(notes|definition): \|\n(?:  .*\n|\n)+"
        for name, written in self._written.items():
            changed = re.sub(block, lambda found: f"{found[1]}: {json.dumps(text)}\n", written)
            (self.root / name).write_text(changed, "utf-8")
        return self.root


def forget() -> None:
    """Empty what our modules keep from one text to the next."""
    for name, module in list(sys.modules.items()):
        if name.startswith("generator."):
            for value in vars(module).values():
                if name != "generator.prose.families.labels" and hasattr(value, "cache_clear"):
                    value.cache_clear()


def measured(run: Callable[[], Any]) -> tuple[int, Any]:
    """The work that a function does, and what it gives."""
    before = Counter.work
    sys.settrace(Counter.called)
    try:
        made = run()
    finally:
        sys.settrace(None)
    return Counter.work - before, made


def parts(base: Tiny, text: str) -> Iterator[tuple[str, int]]:
    """The work of reading a base, and of each check, on a text."""
    from generator.catalog.read import read
    from generator.checks import CHECKS, manual
    from generator.checks.contract import Tally
    from generator.knowledge.knowledge_base import assemble
    from generator.site import materialise
    from generator.site.site import Site

    assert manual.EXAMPLE
    assert materialise.write_pages
    forget()
    root = base.with_text(text)
    work, catalog = measured(lambda: read(root, before=base.before))
    yield "read", work
    work, kb = measured(lambda: assemble(catalog, date(2026, 11, 29)))
    yield "assemble", work
    assert not catalog.unsound, [fault.message for fault in catalog.faults]
    record = catalog.records["tiny-a"]
    assert record.get("notes") == text
    for check in CHECKS:
        yield check.code, measured(lambda check=check: list(check.judge(check, kb, Tally())))[0]  # type: ignore[misc]
    yield "prose as HTML", measured(lambda: Site(kb).prose(record.get("notes"), record))[0]


def main(sizes: list[int], wanted: list[str]) -> None:
    observe()
    sys.path.insert(0, str(ROOT))
    sys.path.insert(0, str(HERE))
    from shapes import SHAPES, text

    import generator.prose.reading.sentences as sentences

    sentences.LONGEST = SENTENCE
    found: dict[str, dict[str, list[int]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        base = Tiny(Path(folder))
        list(parts(base, "".join(SHAPES.values())))  # what is made once is made now
        for name in wanted or SHAPES:
            works: dict[str, list[int]] = {}
            for size in sizes:
                for part, work in parts(base, text(SHAPES[name], size)):
                    works.setdefault(part, []).append(work)
            found[name] = works
    used = [[pattern, flags, place, sorted(ways)] for (pattern, flags), (place, ways) in Counter.used.items()]
    json.dump({"work": found, "patterns": used}, sys.stdout)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:3]], sys.argv[3:])
