"""WIR205: a source whose declared subject does not fit its own address."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.cited_config import CitedConfig
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.addresses import repositories

CAUSED = ("WIR201", "WIR202", "WIR203", "WIR204")
"""Checks that would blame the citation for a wrong subject, which is reported here."""
SCHEMES = ("hf:", "github:", "pypi:")


@check("WIR205", Severity.ERROR)
def misdeclared_subject(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The subject that a source declares does not fit its own address.

    Why it matters
    Mis-wired citations are found by declared subjects. A wrong subject would only move the mistake into the source.

    Bad
    ```yaml sources/tiny-b-chat-config.yaml
    # yaml-language-server: $schema=../schema/source.schema.json
    title: Tiny-B-Chat config.json
    publisher: Tiny Works
    type: hf-config
    url: https://huggingface.co/TinyWorks/Tiny-B-Chat/raw/0123456789/config.json
    locator: https://huggingface.co/TinyWorks/Tiny-B-Chat/raw/0123456789/config.json
    subjects: [hf:TinyWorks/Tiny-B]
    retrieved: 2026-01-05
    upstream_date: 2026-01-02
    retrieval: read-not-hashed
    digest: null
    license: MIT
    facts: {model_type: tiny_mla, num_hidden_layers: 7}
    why_null: {digest: not hashed}
    ```
    ```yaml records/concepts/tiny-latent.yaml
    cites: ["[[tiny-b-chat-config]]"]
    ```

    Good
    ```yaml sources/tiny-b-chat-config.yaml
    # yaml-language-server: $schema=../schema/source.schema.json
    title: Tiny-B-Chat config.json
    publisher: Tiny Works
    type: hf-config
    url: https://huggingface.co/TinyWorks/Tiny-B-Chat/raw/0123456789/config.json
    locator: https://huggingface.co/TinyWorks/Tiny-B-Chat/raw/0123456789/config.json
    subjects: [hf:TinyWorks/Tiny-B-Chat]
    retrieved: 2026-01-05
    upstream_date: 2026-01-02
    retrieval: read-not-hashed
    digest: null
    license: MIT
    facts: {model_type: tiny_mla, num_hidden_layers: 7}
    why_null: {digest: not hashed}
    ```
    ```yaml records/concepts/tiny-latent.yaml
    cites: ["[[tiny-b-chat-config]]"]
    ```

    How to fix
    Correct `subjects`, or `url` and `locator`, whichever is wrong; the case of a repository's name counts.
    """
    for source in tally.sound(kb, "source"):
        declared = list(source.get("subjects") or [])
        addresses = [str(source.get("url")), str(source.get("locator")), str(source.get("read_from", "locator") or "")]
        named = [subject for address in addresses for subject in repositories(address)]
        if not named and source.get("type") != "hf-config":
            tally.not_checkable += 1
            continue
        tally.checked += 1
        problem = _problem(source, declared, set(named))
        if problem:
            models = _in_doubt(kb, source, {*declared, *named})
            absorbs = [(code, model) for model in models for code in CAUSED]
            data = {"declared": declared, "named": sorted(set(named)), "absorbs": absorbs}
            yield this.finding(source.at("subjects"), problem, source.id, data=data)


def _in_doubt(kb: KnowledgeBase, source: Record, subjects: set[str]) -> set[str]:
    """The models that cite the source, or are one of its subjects: none of them is known to cite the wrong document."""
    return {
        model.id
        for model in kb.catalog.sound("model")
        if f"hf:{model.get('repo')}" in subjects or CitedConfig.of(kb.catalog, model).source is source
    }


def _problem(source: Record, declared: list[str], named: set[str]) -> str | None:
    models = [subject for subject in declared if subject.startswith("hf:")]
    if source.get("type") == "hf-config" and len(models) != 1:
        return f"a model config is about exactly one repository (hf:Org/Name); {len(models)} are declared"
    own = {subject for subject in repositories(str(source.get("url"))) if subject.startswith("hf:")}
    copied = {subject for subject in named if subject.startswith("hf:") and _is_copy(source, subject)}
    strangers = sorted((own | copied) - set(models)) if source.get("type") == "hf-config" else []
    if strangers:
        return f"the address is of {', '.join(strangers)}, the declared subject is {models[0]}"
    for scheme in SCHEMES:
        theirs = {subject for subject in named if subject.startswith(scheme)}
        ours = {subject for subject in declared if subject.startswith(scheme)}
        if theirs and ours and not theirs & ours:
            return f"the address is of {', '.join(sorted(theirs))}, declared is {', '.join(sorted(ours))}"
    return None


def _is_copy(source: Record, subject: str) -> bool:
    """Whether a copy's own file name says which repository it was taken from: ``Org--Name_config.json``."""
    name = re.escape(subject.removeprefix("hf:").replace("/", "--"))
    places = f"{source.get('locator')} {source.get('read_from', 'locator') or ''}"
    return re.search(rf"/{name}_config\.json", places) is not None
