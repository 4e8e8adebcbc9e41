"""Acceptance of issue 5: each chain can be followed to sources that say so, as far as a machine can follow it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from generator.catalog.records import Record
from generator.compatibility import Cube, ListingState, Reason, Verdict
from generator.compatibility.listing import list_of
from generator.knowledge.knowledge_base import KnowledgeBase

DECIDING = {
    ("kernel-class", "serves"),
    ("kernel-class", "refuses"),
    ("kernel-class", "no evidence"),
    ("coverage", "whole"),
    ("coverage", "not whole"),
    ("restriction", "blocked"),
    ("restriction", "partial"),
    ("restriction", "prunes"),
    ("listed", "listed"),
    ("listed", "not listed"),
    ("listed", "unknown"),
    ("rewrite", "asks"),
    ("cache", "asks"),
    ("cache", "stores"),
    ("gotcha", "blocked"),
    ("gotcha", "partial"),
    ("claims", "disagrees"),
}
"""The steps that give a state or a figure; the others say what was asked, or what is to know beside it."""

SYMBOL_NEEDED = (".py", ".cpp", ".cu", ".cuh", ".h")
"""Code has places; a file of data, a README or a list of files is read whole."""

PACKAGE = re.compile(r"pkg:pypi/[^@#]+@[^#]+#(?P<member>[^!]+)(!(?P<symbol>\S+))?")
COMMIT = re.compile(r"git\+https://github\.com/[^@#]+@[0-9a-f]{12,40}#[^!]+(!\S+)?")
THREAD = re.compile(r"https://github\.com/[^/]+/[^/]+/(issues|pull)/\d+")

FLOATING = {
    # Pages of a documentation that is published per version, but that its publisher may change.
    "trtllm-docs-1-3-0rc29-models",
    "trtllm-kimi-k3-guide",
}
"""Sources that decide and that no digest or commit pins. The list may shrink."""

NAMES_ONLY = {
    # The table of backends that can be named; what gates and chooses among them is cited beside it.
    "sglang-0-5-23-attention-registry",
    # A discussion of the modes of MLA, of which a reader gets the thread and no figure.
    "ik-pr-268",
    # Backends that an engine's choice names; the code that gates them is cited beside.
    "sglang-0-5-23-aiter-backend",
    "sglang-0-5-23-trtllm-mla-backend",
}
"""Sources that decide beside others and whose own facts only name things. The list may shrink."""


@pytest.fixture(scope="module")
def cube(real: KnowledgeBase) -> Cube:
    return real.verdicts


@pytest.fixture(scope="module")
def chosen(cube: Cube) -> list[Verdict]:
    """A broad sample: every model and engine on some GPU, every GPU with some."""
    keys = list(cube)
    assert len(keys) > 30_000
    return [cube[key] for key in keys[:: max(1, len(keys) // 4_001)]]


def decisive(verdicts: list[Verdict]) -> Iterator[Reason]:
    """The steps that decide."""
    return (step for verdict in verdicts for step in verdict.reasons if (step.rule, step.effect) in DECIDING)


def every(value: Any) -> Iterator[Any]:
    """All scalars in facts, keys included."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield key
            yield from every(below)
    elif isinstance(value, list):
        for below in value:
            yield from every(below)
    else:
        yield value


def facts(real: KnowledgeBase, *ids: str) -> list[Any]:
    """All scalars in the facts of some sources."""
    return [each for id in ids for each in every(real.catalog.records[id].get("facts") or {})]


def sources_of(real: KnowledgeBase, steps: Iterator[Reason]) -> dict[str, Record]:
    """The sources that steps cite."""
    cited = {cite for step in steps for cite in step.cites}
    return {id: real.catalog.records[id] for id in sorted(cited) if real.catalog.records[id].kind == "source"}


# --- where it can be read -------------------------------------------------------------------------------------------


def test_what_decides_can_be_found_by_a_machine(real: KnowledgeBase, cube: Cube) -> None:
    floating, placeless = set(), set()
    for id, source in sources_of(real, decisive(list(cube.values()))).items():
        if source.get("type") == "hf-config":
            continue  # its repository is its subject
        locator = str(source.get("locator"))
        package = PACKAGE.fullmatch(locator)
        if package and package["member"].endswith(SYMBOL_NEEDED) and "*" not in locator and not package["symbol"]:
            placeless.add(id)
        elif not (package or COMMIT.fullmatch(locator) or THREAD.fullmatch(locator)):
            floating.add(id)
    assert floating == FLOATING
    assert not placeless


def test_what_was_read_in_a_package_carries_its_digest(real: KnowledgeBase, cube: Cube) -> None:
    for id, source in sources_of(real, decisive(list(cube.values()))).items():
        if str(source.get("locator")).startswith("pkg:"):
            assert source.get("retrieval") in ("read", "excerpt", "secondary"), id
            assert source.get("digest") or source.get("retrieval") == "secondary", id


def test_what_decides_says_more_than_that_it_exists(real: KnowledgeBase, cube: Cube) -> None:
    thin = {
        id
        for id, source in sources_of(real, decisive(list(cube.values()))).items()
        if set(source.get("facts") or ()) <= {"defines", "names"}
    }
    assert thin == NAMES_ONLY


# --- what it says ---------------------------------------------------------------------------------------------------


def test_a_class_that_is_asked_for_stands_in_the_source(real: KnowledgeBase, chosen: list[Verdict]) -> None:
    for verdict in chosen:
        for step in verdict.reasons:
            if step.rule == "named" and step.effect == "asks":
                assert step.value in facts(real, *step.cites), (verdict.model, verdict.engine)


def test_a_class_that_is_listed_stands_in_the_list(real: KnowledgeBase, chosen: list[Verdict]) -> None:
    for verdict in chosen:
        for step in verdict.reasons:
            if step.rule == "listed" and step.effect == "listed" and not step.text.startswith("named "):
                assert step.value in facts(real, *step.cites), (verdict.model, verdict.engine)


def test_a_class_that_is_not_listed_stands_nowhere_in_a_whole_list(real: KnowledgeBase, chosen: list[Verdict]) -> None:
    for verdict in chosen:
        last = verdict.listing.reasons[-1]
        if last.rule == "listed" and "is exhaustive and does not list" in last.text:
            (source,) = (real.catalog.records[cite] for cite in last.cites)
            asked = verdict.listing.reasons[-2].value
            assert source.get("exhaustive")
            assert asked not in (source.get("facts", "architectures") or source.get("facts", "model_types"))


def test_no_class_is_missed_for_its_spelling(real: KnowledgeBase) -> None:
    """`MPTForCausalLM` and `MptForCausalLM` are one class: engines' records join spellings that differ in no letter."""

    def letters(name: str) -> str:
        return re.sub(r"[^a-z0-9]", "", name.lower())

    for engine in real.catalog.of("engine"):
        names = list_of(real.catalog, engine)
        assert names is not None
        known = {letters(name): name for name in names.names}
        for model in real.catalog.of("model"):
            listing = real.listings[model.id, engine.id]
            asked = [step.value for step in listing.reasons if step.effect == "asks"]
            if listing.state is not ListingState.LISTED and asked:
                other = known.get(letters(asked[-1]), asked[-1])
                assert other == asked[-1], f"{engine.id} lists {other}, and {model.id} asks for {asked[-1]}"


def test_a_family_follows_from_the_config_that_is_cited(real: KnowledgeBase, chosen: list[Verdict]) -> None:
    for verdict in chosen:
        for step in verdict.reasons:
            if step.rule == "family" and step.effect == "needs":
                assert [f"[[{cite}]]" for cite in step.cites] == [real.catalog.records[verdict.model].get("config")]
                assert real.facts[verdict.model].geometry.family == step.value  # type: ignore[union-attr]


def test_the_bytes_that_are_stored_stand_in_the_source(real: KnowledgeBase, chosen: list[Verdict]) -> None:
    for step in decisive(chosen):
        for row in step.value.values() if (step.rule, step.effect) == ("cache", "stores") else ():
            form = real.formats.by_id[row["format"]].format
            figure = form.bytes_per_entry if form.bytes_per_entry is not None else form.bytes_per_scalar
            numbers = [each for each in facts(real, *step.cites) if isinstance(each, int | float)]
            assert figure is None or any(float(figure) == float(number) for number in numbers), row


SPEC = re.compile(r"(?P<from>>=)?(?P<major>\d+)\.(?P<minor>\d+|x)(-(?P<last>\d+\.\d+))?")
WORDS = re.compile(r"\bsm_?\d|\bgfx\d|\bGB300|\bHopper|\bBlackwell|\bTuring|\bmajor", re.IGNORECASE)


def accepts(spec: str, capability: str) -> bool | None:
    """Whether a source's ``9.x,10.x``, ``>=8.0`` or ``8.0-12.1`` takes ``sm_103``; None where it is no such text."""
    number = capability.removeprefix("sm_")
    if not number.isdigit():
        return None
    own, found = (int(number[:-1]), int(number[-1])), False
    for part in re.split(r",\s*", re.sub(r"\s*\([^)]*\)", "", spec)):
        if part == "any":
            return True
        match = SPEC.fullmatch(part)
        if match is None:
            return None
        major, minor = int(match["major"]), 0 if match["minor"] == "x" else int(match["minor"])
        if match["from"]:
            found |= own >= (major, minor)
        elif match["last"]:
            found |= (major, minor) <= own <= tuple(int(each) for each in match["last"].split("."))
        else:
            found |= own[0] == major and (match["minor"] == "x" or own[1] == minor)
    return found


@pytest.mark.parametrize(
    ("spec", "capability", "answer"),
    [
        ("custom check", "sm_90", None),
        ("9.x", "gfx942", None),
        ("any (no check)", "sm_75", True),
        ("9.x,10.x", "sm_103", True),
        ("10.0,10.3", "sm_103", True),
        (">=8.0", "sm_75", False),
        (">=8.0", "sm_89", True),
        ("8.0-12.1", "sm_121", True),
        ("8.x (not with MLA), 9.x", "sm_89", True),
        ("9.0,10.x,12.x", "sm_80", False),
    ],
)
def test_capabilities_as_sources_write_them(spec: str, capability: str, answer: bool | None) -> None:
    assert accepts(spec, capability) is answer


def specs(value: Any) -> Iterator[str]:
    """What a source calls a compute capability, wherever it stands in its facts."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key == "compute_capability" and isinstance(below, str):
                yield below
            yield from specs(below)


def test_a_gate_that_accepts_a_gpu_stands_in_a_source(real: KnowledgeBase, cube: Cube) -> None:
    """For every backend that any cell is served by, on every capability: some cited source takes that GPU."""
    seen: set[tuple[str, str]] = set()
    for verdict in cube.values():
        capability = str(cube.gpus[verdict.gpu].capability)
        for step in verdict.reasons:
            if (step.rule, step.effect) != ("kernel-class", "serves") or step.value["grade"] != "gate":
                continue
            key = (step.value["backend"], capability)
            if key in seen:
                continue
            seen.add(key)
            backend = real.catalog.records[step.value["backend"]]
            own = {cite.strip("[]") for cite in backend.get("cites")}
            assert own <= set(step.cites)
            said = [real.catalog.records[cite].get("facts") or {} for cite in step.cites]
            answers = [accepts(spec, capability) for each in said for spec in specs(each) if "no check" not in spec]
            words = [each for each in facts(real, *step.cites) if isinstance(each, str) and WORDS.search(each)]
            assert True in answers or words, f"{key}: no cited source speaks of this GPU; cited: {step.cites}"
            if answers and False in answers and True not in answers:
                assert words, f"{key}: the cited sources take other GPUs only"
    assert len(seen) > 60
