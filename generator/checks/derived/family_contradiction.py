"""DRV303: a stated attention family, or kernel class, that the config contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.families.assignments import FamilyStatement, derived, described, known, statements
from generator.prose.families.phrases import FAMILY


@check("DRV303", Severity.ERROR)
def family_contradiction(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A record gives a model, or a class, to an attention family that its config rules out.

    Why it matters
    The family decides what is kept per token and which kernels can serve it. DeepSeek-V4 was called MLA by people who
    warned against just that, and got MLA's kernels, constraints and figures along with the word. Compared are claims
    (`attention_family`, `kernel_class`), words in a model's notes ("FAMILY=mla", "this is an MLA model", "the required
    kernel is an MLA decode kernel"), lists under a name of a family in any prose ("MLA rows: A, B"), and the rows of
    engines and gotchas that name families as well as classes: one whose class derives to none of its families can never
    hold. What a sentence denies, supposes, reports or quotes is left alone, and so is one about another model. A word
    may mean several families: a model with an indexer on top of MLA is rightly called MLA.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      FAMILY=gqa, see [[tiny-latent]].
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    claims:
      - {field: attention_family, value: mla, unit: family, basis: vendor, cite: "[[tiny-a-config]]"}
    notes: |
      FAMILY=mla, see [[tiny-latent]].
    ```

    How to fix
    Name the family that the message gives, or better none: it is derived and shown on the model's page. In a row, take
    out the class or add its family.
    """
    for said in statements(kb, tally.sound):
        found = {id: derived(kb, id, said.what) for id in said.models}
        holds = any(set(said.names) & names for names in found.values())
        if not set(said.names) <= known(kb, said.what) or not (holds or (found and all(found.values()))):
            tally.not_checkable += 1  # a word of another vocabulary, or a model whose family is not derived
            continue
        tally.checked += 1
        if not holds:
            yield _finding(this, kb, said, found)


def _finding(this: Check, kb: KnowledgeBase, said: FamilyStatement, found: Mapping[str, set[str]]) -> Finding:
    right, models = sorted(set().union(*found.values())), list(found)
    of = ", ".join(models[:3]) + (f" and {len(models) - 3} more" if models[3:] else "")
    verb = ("derive{} to" if said.what == FAMILY else "need{}").format("" if models[1:] else "s")
    message = f"{_says(said)}; {of} {verb} {described(kb, said.what, right, models)}"
    data = {"stated": list(said.names), "derived": right, "models": models}
    return this.finding(said.location, message, said.record.id, data=data)


def _says(said: FamilyStatement) -> str:
    if said.word is None:
        return f"{said.about} is said to be of the {said.what} {' or '.join(said.names)}"
    if said.what == FAMILY:
        return f"{said.about} is said to be {said.word}"
    return f"{said.about} is said to need a kernel for {said.word}"
