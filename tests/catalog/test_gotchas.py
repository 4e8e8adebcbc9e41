"""Gotchas on record: a range ends where the fix is, and a release that was read on either side of it says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from generator.catalog.records import Record
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.citations import find
from generator.notation.versions import package, satisfies

KNOWN_RANGES = {
    # Read in the wheels: the last release with the failure, and the first without.
    ("triton-mla-no-fp8-kv", 0): ("0.17.1", "0.18.0"),
    ("swa-window-applied-to-global-layers", 0): ("0.27.1", "0.28.0"),
    ("gpt-oss-sinks-flashinfer-sm120", 0): ("0.27.1", "0.28.0"),
    ("aiter-mla-head-count", 0): ("0.17.1", "0.18.0"),
    ("cutlass-mla-not-sparse", 0): ("0.12.0", "0.13.0"),
    ("dsa-no-backend-outside-sm90-sm100", 0): ("0.23.0", "0.24.0"),
    ("flash-attn-4-sm103-assertion", 0): ("4.0.0b14", "4.0.0b15"),
    ("flash-attn-4-sm103-assertion", 1): ("0.22.1", "0.23.0"),
    ("flashinfer-fp8-kv-hopper-slow-path", 0): ("0.6.3", "0.6.4"),
}


def fixes(real: KnowledgeBase) -> Iterator[tuple[Record, Mapping[str, Any], Mapping[str, Any]]]:
    """The gotcha, the condition and the fix, for each fix whose version is on record."""
    for gotcha in real.catalog.sound("gotcha"):
        for when in gotcha.get("conditions"):
            for fix in when.get("fixed_in") or gotcha.get("fixed_in") or ():
                if fix.get("version"):
                    yield gotcha, when, fix


def about(when: Mapping[str, Any], fixed: str) -> str | None:
    """The versions of a condition that a fix of this package ends."""
    if when.get("kernel") and package(when["kernel"]) == package(fixed):
        return when.get("kernel_versions")
    engine = next((each.target for each in find(when.get("engine") or "")), None)
    return when.get("engine_versions") if engine == fixed else None


def test_no_range_reaches_into_its_fix(real: KnowledgeBase) -> None:
    found = [(gotcha.id, fix["version"]) for gotcha, when, fix in fixes(real) if about(when, fix["of"])]
    assert len(found) > 9
    for gotcha, when, fix in fixes(real):
        wanted = about(when, fix["of"])
        assert not wanted or satisfies(fix["version"], wanted) is False, (gotcha.id, wanted, fix["version"])


@pytest.mark.parametrize(("where", "between"), KNOWN_RANGES.items(), ids=[f"{a}-{b}" for a, b in KNOWN_RANGES])
def test_a_range_ends_between_two_releases_that_were_read(
    real: KnowledgeBase, where: tuple[str, int], between: tuple[str, str]
) -> None:
    when = real.catalog.records[where[0]].get("conditions")[where[1]]
    wanted = when.get("kernel_versions") or when["engine_versions"]
    assert [satisfies(each, wanted) for each in between] == [True, False]
    assert [each["version"] for each in when.get("fixed_in") or real.catalog.records[where[0]].get("fixed_in")] == [
        between[1]
    ]


def test_a_cause_that_its_own_thread_refutes_is_gone(real: KnowledgeBase) -> None:
    """The kernel failed when built for sm_100f too, so a build for it is no cure."""
    launch = real.catalog.records["b300-deepgemm-launch"]
    assert "sm_100f" in real.catalog.records["vllm-issue-46796"].get("facts")["by_cuda"]["13.0"]
    assert "sm_100f" not in launch.get("workaround")
    assert launch.get("fix_unknown")
