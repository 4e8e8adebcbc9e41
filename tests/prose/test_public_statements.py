"""Statements about models that others published, laid into the notes of these models (NUM414).

Of the numbers that a model's config contradicts nearly all are reported; of the others none is called false.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import yaml
from conftest import HERE

from generator.catalog.records import Text
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.balance.balances import balances
from generator.prose.balance.ledger import Standing
from generator.prose.balance.offers import offer
from generator.prose.expressions.filled_text import filled
from generator.prose.named_values import names_of
from generator.prose.passages import Passage

STATEMENTS = yaml.safe_load((HERE / "data/public_statements.yaml").read_text("utf-8"))


class Judged(NamedTuple):
    """A number of a statement: whether the config contradicts it, what it balances with, what is said instead."""

    text: str
    number: str
    wrong: bool
    standing: Standing
    expected: str | None


@pytest.fixture(scope="module")
def judged(real: KnowledgeBase) -> list[Judged]:
    return [each for group in STATEMENTS for one in group["texts"] for each in _judged(real, group["model"], one)]


def _judged(kb: KnowledgeBase, model: str, one: dict[str, Any]) -> list[Judged]:
    record, text, wrong = kb.catalog.records[model], one["text"], [str(each) for each in one.get("wrong", ())]
    written = Text(("notes",), text, (0, 0, 0, 0), None)
    passage = Passage(record, written, names_of(kb, record), filled(kb, record, text))
    found = []
    for balance in balances(kb, passage):
        number = balance.number.quantity.text.strip()
        meant = offer(kb, passage, balance).expected if balance.standing is Standing.UNBALANCED else None
        found.append(Judged(text, number, number in wrong, balance.standing, meant))
        if number in wrong:
            wrong.remove(number)
    return [*found, *(Judged(text, each, True, Standing.ELSEWHERE, None) for each in wrong)]


def test_of_the_false_numbers_nearly_all_are_reported(judged: list[Judged]) -> None:
    false = [each for each in judged if each.wrong]
    missed = [each for each in false if each.standing not in (Standing.UNBALANCED, Standing.FALSE)]
    assert len(false) >= 25
    assert len(missed) <= len(false) // 20, missed


def test_of_the_others_none_is_called_false(judged: list[Judged]) -> None:
    others = [each for each in judged if not each.wrong]
    assert len(others) > 100
    assert [each for each in others if each.standing is Standing.FALSE or each.expected] == []
