"""CMP502: sources that give opposite answers, with nothing on record that separates them."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.compatibility import Claim, claims_of
from generator.compatibility.listing import list_of
from generator.findings import Finding, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CMP502", Severity.WARNING)
def sources_disagree(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """Two sources answer one question in opposite ways, and no condition that separates them is on record.

    Why it matters
    Mostly both are right, for another version, page size or number of GPUs. That condition is what a reader needs;
    until it is known, both are shown side by side.

    Bad
    ```yaml records/models/tiny-a.yaml
    serving:
      - engine: "[[tiny-engine]]"
        gpu: "[[tiny-gpu]]"
        says: runs
        text: The datasheet reports a run.
        cite: "[[tiny-datasheet]]"
      - engine: "[[tiny-engine]]"
        gpu: "[[tiny-gpu]]"
        says: fails
        text: A thread reports that it stops.
        cite: "[[tiny-engine-issue]]"
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    serving:
      - engine: "[[tiny-engine]]"
        gpu: "[[tiny-gpu]]"
        says: runs
        text: The datasheet reports a run.
        cite: "[[tiny-datasheet]]"
      - engine: "[[tiny-engine]]"
        gpu: "[[tiny-gpu]]"
        says: fails
        text: A thread reports that it stops.
        separated_by: an empty prompt, on which it stops
        cite: "[[tiny-engine-issue]]"
    ```

    How to fix
    Find what separates them and state it in `separated_by`; a version goes into `engine_version`, what a later list
    adds or drops into `architecture_changes`, and another way of serving a class into `routes`. Where it is not known,
    leave the finding: the matrix shows the cell as disputed.
    """
    for engine in tally.sound(kb, "engine"):
        yield from _restrictions(this, engine, tally)
        yield from _lists(this, kb, engine, tally)
    for gotcha in tally.sound(kb, "gotcha"):
        yield from _gotcha(this, gotcha, tally)
    for model in tally.sound(kb, "model"):
        yield from _reports(this, kb, model, tally)


def _restrictions(this: Check, engine: Record, tally: Tally) -> Iterator[Finding]:
    for index, row in enumerate(engine.get("restrictions") or ()):
        for number, each in enumerate(row.get("contradictions") or ()):
            tally.checked += 1
            if not each.get("separated_by"):
                where = engine.at("restrictions", index, "contradictions", number, "text")
                limit = Related(engine.at("restrictions", index, "text"), "the limit that it contradicts")
                message = "a source contradicts this limit, and nothing says what separates the two"
                yield this.finding(where, message, engine.id, [limit])


def _lists(this: Check, kb: KnowledgeBase, engine: Record, tally: Tally) -> Iterator[Finding]:
    """Further lists of an engine against its own, where that is whole: a name that it lacks is in dispute."""
    own = list_of(kb.catalog, engine)
    if own is None or not engine.get("more_lists"):
        return
    tally.checked += 1
    if not own.exhaustive:
        return
    by_source: dict[str, list[str]] = {}
    elsewhere = frozenset().union(*(route.classes for route in own.routes))
    for name, source in own.further.items():
        spelled = {name, own.spellings.get(name, name)}
        changed = any((change, each) in own.changes for change in ("added", "removed") for each in spelled)
        if name not in elsewhere and not changed:
            by_source.setdefault(source.id, []).append(name)
    for key, mention in engine.get("more_lists").items():
        names = by_source.pop(str(mention).strip("[]"), [])
        if names:
            shown = ", ".join(f"`{name}`" for name in names[:4]) + (f" and {len(names) - 4} more" if names[4:] else "")
            message = f"this list names {shown}, and {own.source.title}, which is whole, does not"
            related = [Related(engine.at("architectures"), "the list that does not name it")]
            yield this.finding(
                engine.at("more_lists", key), f"{message}; nothing says what separates them", engine.id, related
            )


def _gotcha(this: Check, gotcha: Record, tally: Tally) -> Iterator[Finding]:
    for index, row in enumerate(gotcha.get("disagreements") or ()):
        tally.checked += 1
        if not row.get("separated_by"):
            message = "a report contradicts this record, and nothing says what separates the two"
            yield this.finding(gotcha.at("disagreements", index, "text"), message, gotcha.id)


def _reports(this: Check, kb: KnowledgeBase, model: Record, tally: Tally) -> Iterator[Finding]:
    heard: list[Claim] = []
    for claim in claims_of(kb.catalog, model):
        if claim.row["says"] == "supported" or (model.id, claim.engine) not in kb.listings:
            continue
        tally.checked += 1
        other = next((each for each in heard if _opposite(each, claim)), None)
        heard.append(claim)
        where = model.at("serving", claim.index, "says")
        if claim.separated_by or (other and other.separated_by):
            continue
        if other is not None:
            related = [Related(model.at("serving", other.index, "says"), f"here it {other.row['says']}")]
            message = f"one source says that it {other.row['says']} there, this one that it {claim.row['says']}"
            yield this.finding(where, f"{message}; nothing says what separates them", model.id, related)
        elif claim.gpu in kb.verdicts.gpus:
            verdict = kb.verdicts.verdict(model.id, claim.engine, claim.gpu)
            if claim.against(verdict.by_rules):
                state = str(verdict.by_rules).replace("-", " ")
                message = f"it {claim.row['says']} there by this source, and is {state} by the rules"
                yield this.finding(where, f"{message}; nothing says what separates them", model.id)


def _opposite(one: Claim, other: Claim) -> bool:
    """Whether two reports are of one cell and version, and differ."""
    same = (one.engine, one.gpu, one.row.get("cache"), one.row.get("engine_version"))
    return one.row["says"] != other.row["says"] and same == (
        other.engine,
        other.gpu,
        other.row.get("cache"),
        other.row.get("engine_version"),
    )
