"""The numbers in prose: how many there are, and what each balances with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from generator.catalog.records import Record
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.balance.balances import balances
from generator.prose.balance.ledger import Balance, Standing
from generator.prose.passages import passages_of
from generator.site.html.page import Page
from generator.site.site import Site

WORDS = {
    Standing.EXPRESSION: ("computed", "an expression gives it, and its formula opens on the page"),
    Standing.FIELD: ("in a record", "a field of the record, or of one that the sentence cites"),
    Standing.SOURCE: ("in a source", "a fact or a quote of a source that is cited next to it"),
    Standing.EQUATION: (
        "in a calculation",
        "a calculation or a conversion next to it holds, and the rest of it balances",
    ),
    Standing.SAID: ("an author's word", "nothing on record carries it; the reason is given with it"),
    Standing.FALSE: ("in a false statement", "a check reports the statement"),
    Standing.UNBALANCED: ("unbalanced", "nothing on record carries it"),
}


def numbers_page(site: Site) -> Iterator[Page]:
    """One page: the counts by kind of record, what is said on an author's word, and what balances with nothing."""
    found = [(record, balance) for record, balance in _found(site.kb) if balance.standing is not Standing.ELSEWHERE]
    kinds = [kind for kind in site.kb.catalog.kinds if any(record.kind == kind.name for record, _ in found)]
    counts = Counter((record.kind, balance.standing) for record, balance in found)
    yield site.page(
        "numbers.md",
        "Numbers",
        "numbers.html",
        words=WORDS,
        kinds=kinds,
        counts=counts,
        sums={standing: sum(counts[kind.name, standing] for kind in kinds) for standing in WORDS},
        all=len(found),
        said=_of(found, Standing.SAID),
        unbalanced=_of(found, Standing.UNBALANCED),
        hide=("toc", "navigation"),
        description="How many numbers there are in prose, and what each of them balances with",
        search="<h1>Numbers</h1><p>numbers in prose: computed, cited, said, unbalanced</p>",
    )


def _found(kb: KnowledgeBase) -> Iterator[tuple[Record, Balance]]:
    for kind in kb.catalog.kinds:
        for record in kb.catalog.sound(kind.name) if kind.name != "source" else ():
            for passage in passages_of(kb, record):
                yield from ((record, balance) for balance in balances(kb, passage))


def _of(found: list[tuple[Record, Balance]], standing: Standing) -> list[tuple[Record, str, str]]:
    """The numbers of a standing as they read: record, number, and the reason of one that is said."""
    return [
        (record, " ".join(balance.number.quantity.text.split()), balance.label)
        for record, balance in found
        if balance.standing is standing
    ]
