"""NUM414: a number in prose that balances with nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from generator.checks.contract import Check, Tally, check
from generator.checks.texts import passages
from generator.findings import Edit, Finding, Fix, Location, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.balance.balances import balances, section_of
from generator.prose.balance.ledger import Balance, Standing
from generator.prose.balance.offers import Offer, offer
from generator.prose.passages import Passage, included


@check("NUM414", Severity.WARNING)
def unbalanced_number(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A number in prose that balances with no expression, record, source or calculation.

    Why it matters
    A number stands in a record and in its source, and the two must agree. One that somebody typed into a sentence
    stands nowhere else: nobody can tell whether it is right, and it goes on being read after the record has changed.
    So every number in prose balances with something, or is reported:

    - an expression, `{{ kv.growth('bf16') }}`;
    - a field of this record, or of a record that the sentence cites, that the words beside the number name;
    - a fact or a quote of a source that the sentence or bullet cites; in a correction also of the one it rests on;
    - the calculation or the conversion in which it stands, where that holds and the rest of it balances;
    - `{{ said(10, 'why') }}`, for what no source can carry. Readers see it as the author's word.

    What is part of a name, a version, a date, an id, code, a place such as "layer 2" or the name of a data type says no
    quantity. Number words are read before what they count ("eight experts", not "two ways").

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      One latent row per token, see [[tiny-latent]]: it grows by 320 B/token in bf16.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      One latent row per token, see [[tiny-latent]]: it grows by {{ kv.growth('bf16') }} in bf16, in 4 layers.
    ```

    How to fix
    The message names what fits: an expression, which the fix writes where the words beside the number leave no doubt; a
    record or source to cite in the same sentence; or this model's value of the same thing, where that is another. Else
    cite where the number stands, compute it, say it with `said`, or leave it out. In lines that a change has touched
    it is an error under `--against`.
    """
    told: set[Location] = set()
    for passage in (*passages(kb, tally), *included(kb)):
        found = balances(kb, passage)
        tally.checked += len(found)
        written = replace(passage, section=section_of(kb.catalog, passage))
        for group in _calculations(passage, found):
            finding = _finding(this, kb, written, group)
            if finding.location not in told:
                yield finding
            told.add(finding.location)


def _calculations(passage: Passage, found: list[Balance]) -> Iterator[list[Balance]]:
    """The numbers that do not balance, those of one calculation together: it is reported once."""
    groups: dict[int, list[Balance]] = {}
    group: list[Balance] = []
    for at, balance in enumerate(found):
        if balance.standing is not Standing.UNBALANCED:
            continue
        before = found[at - 1].number.quantity.end if at else None
        goes_on = before is not None and _EXPRESSION.fullmatch(passage.read.value, before, balance.number.start)
        if balance.statement in groups:
            group = groups[balance.statement]
        elif not goes_on or not group or group[-1] is not found[at - 1]:
            group = []
            groups[balance.statement if balance.statement >= 0 else -2 - at] = group
        group.append(balance)
    yield from groups.values()


_EXPRESSION = re.compile(r"[\s×x*·/+−^=≈()-]{1,12}")
"""What stands between the numbers of one calculation: it is reported once."""


def _finding(this: Check, kb: KnowledgeBase, passage: Passage, group: list[Balance]) -> Finding:
    balance, meant = _best(kb, passage, group)
    quantity = balance.number.quantity
    written = " ".join(quantity.text.split())
    place = passage.place(*passage.typed(quantity.start, quantity.start + len(quantity.text)))
    quote = passage.record.document.source(passage.text.span)[:1]
    fix = None
    if meant.expression is not None and quote in ("|", ">", '"', "'"):
        text = meant.expression.replace("'", '"') if quote == "'" else meant.expression
        fix = Fix("write the expression", (Edit(place, text),))
    message = f"{written} balances with nothing: {meant.message}"
    data = {"number": written, "expected": meant.expected}
    id = passage.section.record.id if passage.section else passage.record.id
    return this.finding(place, message, id, fix=fix, data=data)


def _best(kb: KnowledgeBase, passage: Passage, group: list[Balance]) -> tuple[Balance, Offer]:
    """The number of a calculation for which most is known, the first of equals."""
    offers = [(each, offer(kb, passage, each)) for each in group[:MOST]]
    return max(offers, key=lambda pair: pair[1].weight)


MOST = 8
"""So many numbers of one calculation are looked at for an offer."""
