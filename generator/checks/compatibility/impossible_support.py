"""CMP501: a statement of support that the rules contradict."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.compatibility import Verdict, VerdictState, claims_of
from generator.compatibility.chain import DECIDES
from generator.findings import Finding, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CMP501", Severity.ERROR)
def impossible_support(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A record states that a model is served where the rules say that it is not.

    Why it matters
    A reader who buys the GPU for it finds out. Either the statement is of another version, or a rule is wrong.

    Bad
    ```yaml records/engines/tiny-engine.yaml
    restrictions:
      - when: {families: [mla], gpus: [sm_90]}
        effect: blocked
        text: No latent attention on Hopper.
        cites: ["[[tiny-engine-registry]]"]
    ```
    ```yaml records/models/tiny-a.yaml
    serving:
      - engine: "[[tiny-engine]]"
        gpu: "[[tiny-gpu]]"
        says: supported
        text: The datasheet counts it among the models that are served.
        cite: "[[tiny-datasheet]]"
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    serving:
      - engine: "[[tiny-engine]]"
        gpu: "[[tiny-gpu]]"
        says: supported
        text: The datasheet counts it among the models that are served.
        cite: "[[tiny-datasheet]]"
    ```

    How to fix
    Name the version that the statement is about (`engine_version`), or what separates the two (`separated_by`); if the
    rule is wrong, correct the record that the message names. `servebook why` prints the whole chain.
    """
    for model in tally.sound(kb, "model"):
        for claim in claims_of(kb.catalog, model):
            if claim.row["says"] != "supported":
                continue
            if (model.id, claim.engine) not in kb.listings or claim.gpu not in kb.verdicts.gpus:
                tally.skipped += 1
                continue
            tally.checked += 1
            verdict = kb.verdicts.verdict(model.id, claim.engine, claim.gpu)
            if claim.against(verdict.by_rules) and not claim.separated_by:
                where = model.at("serving", claim.index, "says")
                yield this.finding(where, _message(verdict), model.id, list(_related(kb, verdict)), data=_data(verdict))


def _message(verdict: Verdict) -> str:
    state = str(verdict.by_rules).replace("-", " ")
    return f"it is said to be served by {verdict.engine} on {verdict.gpu}; the rules give {state}: {_decisive(verdict)}"


def _decisive(verdict: Verdict) -> str:
    """The step that decides: the first that blocks or refuses, or the last of the list."""
    deciding = (*DECIDES[VerdictState.BLOCKED], *DECIDES[VerdictState.NOT_LISTED])
    found = [reason for reason in verdict.reasons if reason.effect in deciding] or list(verdict.reasons)
    return found[0].text.rstrip(".")


def _related(kb: KnowledgeBase, verdict: Verdict) -> Iterator[Related]:
    engine = kb.catalog.records.get(verdict.engine)
    if engine is not None:
        yield Related(engine.at("name"), "the engine whose records the verdict follows from")


def _data(verdict: Verdict) -> dict[str, object]:
    chain = [{"rule": r.rule, "effect": r.effect, "text": r.text, "cites": list(r.cites)} for r in verdict.reasons]
    return {"engine": verdict.engine, "gpu": verdict.gpu, "state": str(verdict.by_rules), "chain": chain}
