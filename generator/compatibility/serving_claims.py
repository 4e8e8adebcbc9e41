"""The rule of claims: what dated sources say of a cell, compared with what the rules give for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.compatibility.chain import Effect, Reason, VerdictState, cited

REFUSED = (VerdictState.BLOCKED, VerdictState.NOT_LISTED)
SERVED = (VerdictState.SUPPORTED, VerdictState.PARTIAL)


@dataclass(frozen=True, slots=True)
class Claim:
    """One row of a model's `serving`, at its place in the record."""

    model: Record
    index: int
    row: Mapping[str, Any]
    engine: str
    gpu: str
    about_this_version: bool

    @property
    def separated_by(self) -> str | None:
        """What separates the claim from the verdict, where that is on record."""
        return self.row.get("separated_by")

    def against(self, state: VerdictState) -> bool:
        """Whether it says the opposite of a state."""
        if not self.about_this_version:
            return False
        return state in (SERVED if self.row["says"] == "fails" else REFUSED)

    def step(self, state: VerdictState) -> Reason:
        """The claim as a step of a chain."""
        apart = f" What separates them: {self.separated_by}." if self.separated_by else ""
        version = "" if self.about_this_version else f" (of version {self.row['engine_version']})"
        effect = Effect.REPORTS
        if self.against(state):
            effect = Effect.DISAGREES
        elif self._agrees(state):
            effect = Effect.SAYS_SO_TOO
        text = f"{self.row['text']}{version}{apart if effect is Effect.DISAGREES else ''}"
        return Reason("claims", effect, text, cited(self.row.get("cite")), self.separated_by)

    def _agrees(self, state: VerdictState) -> bool:
        return self.about_this_version and state in (REFUSED if self.row["says"] == "fails" else SERVED)


def claims_of(catalog: Catalog, model: Record) -> Iterator[Claim]:
    """What sources say of serving a model, for the engines and GPUs on record."""
    for index, row in enumerate(model.get("serving") or ()):
        (engine,), (gpu,) = cited(row.get("engine")) or ("",), cited(row.get("gpu")) or ("",)
        record = catalog.records.get(engine)
        if record is not None and gpu in catalog.records:
            version = row.get("engine_version")
            yield Claim(model, index, row, engine, gpu, version in (None, record.get("version")))


def weigh_claims(
    claims: Iterable[Claim], state: VerdictState
) -> tuple[VerdictState, tuple[Reason, ...], tuple[str, ...]]:
    """The state after the claims of a cell, their steps and modifiers. A stated support alone changes nothing."""
    steps, modifiers, after = [], [], state
    for claim in claims:
        steps.append(claim.step(state))
        if claim.against(state) and claim.row["says"] != "supported" and not claim.separated_by:
            after = VerdictState.SOURCES_DISAGREE
        elif claim.row["says"] == "runs" and claim.about_this_version and not claim.against(state):
            modifiers.append("reported to run")
    return after, tuple(steps), tuple(dict.fromkeys(modifiers))
