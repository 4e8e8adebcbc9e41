"""The words of a verdict: states, and the steps of a chain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from generator.notation.citations import whole


class ListingState(StrEnum):
    """What an engine's list says. The glyph and the word always appear together; colour is never the only signal."""

    LISTED = "listed"
    NOT_LISTED = "not-listed"
    NO_EVIDENCE = "no-evidence"
    DISAGREE = "sources-disagree"


class VerdictState(StrEnum):
    """What is known of a model, an engine and a GPU together."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    BLOCKED = "blocked"
    LISTED = "listed"
    NOT_LISTED = "not-listed"
    NO_EVIDENCE = "no-evidence"
    SOURCES_DISAGREE = "sources-disagree"


GLYPHS = {
    VerdictState.SUPPORTED: "✓",
    VerdictState.PARTIAL: "◐",
    VerdictState.BLOCKED: "✕",
    VerdictState.LISTED: "·",
    VerdictState.NOT_LISTED: "–",
    VerdictState.NO_EVIDENCE: "?",
    VerdictState.SOURCES_DISAGREE: "≠",
}

MEANINGS = {
    VerdictState.SUPPORTED: "every kernel class that the model needs has a backend whose predicates accept this GPU",
    VerdictState.PARTIAL: "it serves, with a limit or at a price",
    VerdictState.BLOCKED: "a complete list of backends, or a stated limit, rules it out",
    VerdictState.LISTED: "the engine's own list names the model; whether a backend takes this GPU was not read",
    VerdictState.NOT_LISTED: "the engine's list is known to be complete and does not name it",
    VerdictState.NO_EVIDENCE: "nothing on record says yes or no",
    VerdictState.SOURCES_DISAGREE: "sources say opposite things, and nothing on record decides",
}


class Effect(StrEnum):
    """What a step of the chain does to the verdict."""

    RUNS = "runs"
    LOADS = "loads"
    SERVES = "serves"
    PARTIAL = "partial"
    WRONG_RESULT = "wrong-result"
    SLOW = "slow"
    BLOCKED = "blocked"
    REFUSES = "refuses"
    NOT_PROVED = "not proved"
    UNREAD = "unread"
    UNKNOWN = "unknown"
    NO_LIST = "no list"
    BY_A_COPY = "named by a copy"
    NOT_LISTED = "not listed"
    LISTED = "listed"
    NO_EVIDENCE = "no evidence"
    DISAGREES = "disagrees"
    ASKS = "asks"
    STORES = "stores"
    NOT_ON_RECORD = "not on record"
    NEEDS = "needs"
    MAY_OVERRIDE = "may override"
    NOT_JUDGED = "not judged"
    WHOLE = "whole"
    NOT_WHOLE = "not whole"
    PRUNES = "prunes"
    WITH_A_SETTING = "with a setting"
    NOT_ABOUT_THIS = "not about this"
    NOT_DECISIVE = "not decisive"
    PAST = "past"
    TO_KNOW = "to know"
    SAYS_SO_TOO = "says so, too"
    REPORTS = "reports"


DECIDES = {
    VerdictState.SUPPORTED: (Effect.SERVES,),
    VerdictState.PARTIAL: (Effect.PARTIAL, Effect.WRONG_RESULT),
    VerdictState.BLOCKED: (Effect.BLOCKED, Effect.REFUSES),
    VerdictState.LISTED: (Effect.NOT_PROVED, Effect.UNREAD, Effect.UNKNOWN),
    VerdictState.NOT_LISTED: (Effect.NOT_LISTED,),
    VerdictState.NO_EVIDENCE: (Effect.NO_EVIDENCE, Effect.UNKNOWN, Effect.NO_LIST, Effect.BY_A_COPY),
    VerdictState.SOURCES_DISAGREE: (Effect.DISAGREES,),
}
"""The effects of the step that a state comes from, the first that is there."""

LIMITS = frozenset(
    {
        Effect.BLOCKED,
        Effect.REFUSES,
        Effect.PARTIAL,
        Effect.WRONG_RESULT,
        Effect.SLOW,
        Effect.DISAGREES,
        Effect.NOT_PROVED,
        Effect.PRUNES,
    }
)
"""The effects that limit what an engine does for a family on some GPU."""

THIS_GPU = "\0"
"""Stands for the GPU of the cell in texts of steps and flips, so that GPUs with one chain have equal chains.

No text of a record holds it: the YAML reader refuses NUL.
"""

THESE_GPUS = "these GPUs"
"""What the GPU is called where several share a chain."""


def on(text: str, gpu: str) -> str:
    """A text of a chain, said of a GPU."""
    return text.replace(THIS_GPU, gpu)


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of the chain: the rule, what it does, in words with the GPU left open, and the sources that say so."""

    rule: str
    effect: Effect
    text: str
    cites: tuple[str, ...] = ()
    value: Any = None

    def on(self, gpu: str) -> Reason:
        """The step as it is said of a GPU."""
        return replace(self, text=on(self.text, gpu)) if THIS_GPU in self.text else self


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What the rules after the list give for a kind of model, an engine and a kind of GPU."""

    state: VerdictState
    reasons: tuple[Reason, ...]
    flips_if: tuple[str, ...]
    modifiers: tuple[str, ...] = ()


@lru_cache(maxsize=16384)
def cited(*texts: Any) -> tuple[str, ...]:
    """The ids that citations name, each once."""
    mentions = (whole(text) for text in texts if isinstance(text, str))
    return tuple(dict.fromkeys(mention.id for mention in mentions if mention and not mention.problem))


def listed(words: Iterable[str], last: str = "and") -> str:
    """Words in a row: ``a, b and c``."""
    row = list(words)
    return f" {last} ".join([", ".join(row[:-1]), row[-1]]) if len(row) > 1 else "".join(row)
