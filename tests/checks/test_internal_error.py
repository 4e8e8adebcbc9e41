"""INT901: a check that fails inside is told, stops no other check, and nothing is taken for passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from conftest import Base

from generator.catalog.records import Catalog, Record
from generator.checks import CHECKS, internal_error, judge, unused_waiver
from generator.checks.contract import Check, Tally
from generator.checks.manual import sections
from generator.checks.run import judge_all
from generator.derive.facts import Facts
from generator.findings import Finding, Severity
from generator.knowledge import knowledge_base
from generator.knowledge.knowledge_base import KnowledgeBase

WRONG = {
    "records/concepts/wrong.yaml": """\
# yaml-language-server: $schema=../../schema/concept.schema.json
name: An idea
definition: |
  See [[tiny-latnet]].
cites: ["[[tiny-a-config]]"]
waivers:
  - {code: CIT103, reason: a test of waivers beside failures, until: 2099-01-01}
"""
}


def broken(code: str, error: Exception) -> tuple[Check, ...]:
    """The checks, one of which fails at the second model."""

    def fails(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
        for record in kb.catalog.of("model"):
            yield this.finding(record.at(), "found before", record.id)
            if record.id == "tiny-b":
                raise error

    return tuple(replace(check, judge=fails) if check.code == code else check for check in CHECKS)


@pytest.mark.parametrize("error", [TypeError("bad"), RecursionError(), ValueError("two\nlines " * 99), KeyError("x")])
def test_it_names_the_check_and_the_record_and_the_others_run(tiny: Base, error: Exception) -> None:
    run = judge_all(tiny.lay(WRONG).read(), broken("CIT103", error), unused_waiver)
    (told,) = [each for each in run.findings if each.code == "INT901"]
    assert told.severity is Severity.ERROR
    assert "CIT103 malformed-citation" in told.message
    assert type(error).__name__ in told.message
    assert "report it" in told.message
    assert "\n" not in told.message
    assert len(told.message) < 400
    assert (told.record, told.location.path) == ("tiny-b", "records/models/tiny-b.yaml")
    assert [each.code for each in run.findings if each.record == "wrong"] == ["CIT101"], "the waiver is left alone"
    assert len([each for each in run.findings if each.message == "found before"]) == 2
    assert run.failing(strict=False)


def test_no_waiver_excuses_it(tiny: Base) -> None:
    waived = "waivers:\n  - {code: INT901, reason: a test of waivers beside failures, until: 2099-01-01}\n"
    name = "records/models/tiny-b.yaml"
    tiny.lay({name: (tiny.root / name).read_text("utf-8") + waived})
    run = judge_all(tiny.read(), broken("CIT103", TypeError()), unused_waiver)
    assert "INT901" in [each.code for each in run.findings]


def test_without_a_record_at_hand_it_still_has_a_place(tiny: Base) -> None:
    def fails(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
        raise ZeroDivisionError
        yield

    check = replace(CHECKS[0], judge=fails)
    (told,) = judge_all(tiny.read(), [check], unused_waiver).findings
    assert (told.code, told.record, told.location.path) == ("INT901", None, "records")


def test_what_is_derived_of_one_model_may_fail_alone(tiny: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    real = knowledge_base.facts_of

    def fails(catalog: Catalog, model: Record, *more: Any) -> Facts:
        if model.id == "tiny-b":
            raise OverflowError("too large")
        return real(catalog, model, *more)

    monkeypatch.setattr(knowledge_base, "facts_of", fails)
    (told,) = [each for each in tiny.findings() if each.severity is Severity.ERROR]
    assert (told.code, told.record, told.location.path) == ("INT901", "tiny-b", "records/models/tiny-b.yaml")
    assert "OverflowError: too large" in told.message
    assert tiny.read().facts.keys() == {"tiny-a"}


def test_the_real_checks_do_not_fail(tiny: Base) -> None:
    assert "INT901" not in [each.code for each in judge(tiny.read()).findings]


def test_its_page_says_what_to_do() -> None:
    assert list(sections(internal_error.doc)) == ["", "Why it matters", "How to fix"]
