"""Where mutated files are put: validation, pages, ``kv --config`` and ``new``; each must end in words of its own."""

from __future__ import annotations

import random
import re
import shutil
import signal
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from fuzz.mutations import mutated, mutated_config
from fuzz.tally import Tally

from generator.catalog.read import NoKnowledgeBase, read
from generator.catalog.records import Catalog
from generator.checks import judge
from generator.cli import cli
from generator.knowledge.evidence.impact import consequences
from generator.knowledge.knowledge_base import assemble
from generator.site.pages import Site, build_site

ROOT = Path(__file__).resolve().parents[2]
TODAY = date(2026, 11, 29)
SECONDS = 60
"""Far more than any batch takes: what needs longer hangs."""


class Hung(BaseException):
    """A batch took longer than any should."""


@contextmanager
def within(seconds: int) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


CITED = re.compile(r"\[\[([a-z0-9-]+)")
MANY = {"models": 10, "gpus": 3, "engines": 1, "backends": 3, "kernels": 2, "gotchas": 4, "concepts": 3}


def sample_base(folder: Path, chance: random.Random, many: Mapping[str, int] = MANY) -> Path:
    """A small base of real records: some of each kind, and the sources that they cite; the schemas are our own."""
    root = folder / "base"
    for name in ("records", "sources"):
        (root / name).mkdir(parents=True)
    sources: dict[str, None] = {}
    for kind, number in many.items():
        files = sorted((ROOT / "records" / kind).glob("*.yaml"))
        for path in [
            *chance.sample(files, min(number, len(files))),
            *(each for each in files if each.stem == "uniform"),
        ]:
            text = path.read_text("utf-8")
            sources |= dict.fromkeys(CITED.findall(text))
            (root / "records" / kind).mkdir(exist_ok=True)
            (root / "records" / kind / path.name).write_text(text, "utf-8")
    for id in sources:
        if (ROOT / "sources" / f"{id}.yaml").is_file():
            shutil.copyfile(ROOT / "sources" / f"{id}.yaml", root / "sources" / f"{id}.yaml")
    return root


def judged(root: Path, pages: bool, before: Catalog | None = None) -> str | None:
    """What went wrong inside while a base was read, judged and shown; None where nothing did."""
    try:
        kb = assemble(read(root, before=before), TODAY)
        run = judge(kb)
        told = [found.message for found in run.findings if found.code == "INT901"]
        if told:
            return told[0]
        if pages:
            site = Site(kb, run.findings)
            for page in build_site(site):
                assert page.html
            if site.failures:
                return site.failures[0]
            for id in list(kb.catalog.records)[:3]:
                consequences(kb, id)
    except NoKnowledgeBase:
        return None
    except Hung:
        return f"longer than {SECONDS} s"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:160]} ({Path(place.filename).name}:{place.lineno})"
    return None


@dataclass
class Batch:
    """Several files of one base, mutated together; a fall is then looked for in each alone."""

    root: Path
    clean: Mapping[str, bytes]
    tally: Tally
    before: Catalog

    def run(self, files: Mapping[str, bytes], pages: bool) -> None:
        self.tally.tried += len(files)
        with within(SECONDS):
            if self._judged(files, pages) is None:
                return
        found = False
        for name, data in files.items():
            with within(SECONDS):
                why = self._judged({name: data}, pages)
            if why is not None:
                found = True
                self.tally.falls.append(f"{name}: {why}\n{data[:4000]!r}")
        if not found:
            self.tally.falls.append(f"only together: {', '.join(files)}")

    def _judged(self, files: Mapping[str, bytes], pages: bool) -> str | None:
        try:
            for name, data in files.items():
                (self.root / name).write_bytes(data)
            return judged(self.root, pages, self.before)
        except Hung:
            return f"longer than {SECONDS} s"
        finally:
            for name in files:
                (self.root / name).write_bytes(self.clean[name])


def records(chance: random.Random, folder: Path, goes_on: Callable[[int], bool], size: int = 16) -> Tally:
    """Mutated records and sources through validation and pages."""
    root, tally = sample_base(folder, chance), Tally()
    names = sorted(
        path.relative_to(root).as_posix() for top in ("records", "sources") for path in (root / top).rglob("*.yaml")
    )
    clean = {name: (root / name).read_bytes() for name in names}
    batch = Batch(root, clean, tally, read(root))
    while goes_on(tally.tried):
        chosen = chance.sample(names, min(size, len(names)))
        batch.run(
            {name: mutated(chance, clean[name].decode(), clean[chance.choice(names)].decode()) for name in chosen},
            pages=chance.random() < 0.5,
        )
    return tally


def configs(chance: random.Random, folder: Path, goes_on: Callable[[int], bool]) -> Tally:
    """Mutated configs through ``kv --config`` and ``new model --config``."""
    tally, root = Tally(), sample_base(folder, chance, {"models": 30, "kernels": 1})
    catalog = read(root)
    configs = [record for record in catalog.of("source") if record.get("type") == "hf-config"]
    bases = [dict(record.get("facts")) for record in configs]
    for record in (*configs, *catalog.of("model")):  # what is asked needs none of them, and reads what is there
        (root / record.path).unlink()
    path = folder / "config.json"
    while goes_on(tally.tried):
        text = mutated_config(chance, chance.choice(bases))
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        asked = [
            ["kv", "--config", str(path), "--format", chance.choice(["text", "json"])],
            ["new", "model", f"fuzzed-{tally.tried}", "--config", str(path), "--repo", "Org/Name"],
        ]
        for arguments in asked:
            tally.tried += 1
            if why := _command(["--root", str(root), *arguments]):
                tally.falls.append(f"{arguments[0]}: {why}\n{text[:4000]}")
        if written := list(root.rglob("*fuzzed-*")):
            if why := _unread(root, [each.stem for each in written]):
                tally.falls.append(f"new: {why}\n{text[:4000]}")
            for each in written:
                each.unlink()
    return tally


def _command(arguments: list[str]) -> str | None:
    try:
        with within(SECONDS):
            done = CliRunner().invoke(cli, arguments)
    except Hung:
        return f"longer than {SECONDS} s"
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        place = traceback.extract_tb(done.exception.__traceback__)[-1]
        return (
            f"{type(done.exception).__name__}: {str(done.exception)[:160]} ({Path(place.filename).name}:{place.lineno})"
        )
    return None


def _unread(root: Path, ids: list[str]) -> str | None:
    """What our own reader has against what `new` has written."""
    catalog = read(root)
    faults = [fault for fault in catalog.faults if fault.record in ids and fault.code.startswith("YML")]
    return f"{faults[0].code} {faults[0].message}" if faults else None
