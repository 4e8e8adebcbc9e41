"""NUM412: two statements of one record that cannot both hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from generator.checks.contract import Check, Tally, check
from generator.checks.texts import passages
from generator.findings import Finding, Location, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.contradictions import Contradiction, Namesakes, Place, contradictions


@check("NUM412", Severity.WARNING)
def self_contradiction(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A model's record says two things that cannot both hold.

    Why it matters
    One of the two is wrong, and often both are: a record told the layers of DeepSeek-V4-Flash one by one, which makes
    4 / 20 / 19, counted 3 / 21 / 20 elsewhere, and the model has 2 / 21 / 20. No config is needed to see that. Held
    against each other are the layers as they are told and as they are counted, the reasons why one field is null, and
    the values of one config field in prose and in the record's own config. Where only one of the two is wrong and
    another check says so, this one is silent.

    Bad
    ```yaml records/models/tiny-b.yaml
    notes: |
      The latent is narrow: `kv_lora_rank` is 64.
    ```

    Good
    ```yaml records/models/tiny-b.yaml
    notes: |
      The latent is narrow: `kv_lora_rank` is 32.
    ```

    How to fix
    Read the cited source again and keep what it says. A field is null for one reason. If a sentence speaks of another
    model or of another part of this one, let it say of which.
    """
    names = Namesakes.of(kb)
    for _, texts in groupby(passages(kb, tally, ("model",)), key=lambda passage: passage.record.id):
        tally.checked += 1
        for each in contradictions(kb, list(texts), names):
            yield _finding(this, each)


def _finding(this: Check, found: Contradiction) -> Finding:
    related = [Related(_location(place), words) for place, words in found.others]
    return this.finding(_location(found.place), found.message, found.place.passage.record.id, related)


def _location(place: Place) -> Location:
    return place.passage.place(place.start, place.end)
