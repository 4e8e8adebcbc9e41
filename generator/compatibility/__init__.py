"""Compatibility: which engine serves which model on which GPU, with the chain of reasons behind each answer.

The rules, in order: the devices that the engine's build is for (`platforms`), its list and the ways around it
(`listing`, `routes`), what it restricts (`restrictions`), the kernel classes that the model's family needs and the
backends that provide them (`kernels`), the gotchas that hold (`gotchas`), whether it loads the checkpoint's weights
(`weights`), and what dated sources say of the cell (`serving_claims`). `outcomes` puts those of a kind of model
together, and `cube` joins all of them.
"""

from generator.compatibility.caches import UnknownCache
from generator.compatibility.chain import GLYPHS, MEANINGS, ListingState, Reason, RuleOutcome, VerdictState
from generator.compatibility.cube import Cube, Verdict
from generator.compatibility.listing import Listing, listings
from generator.compatibility.serving_claims import Claim, claims_of

__all__ = [
    "GLYPHS",
    "MEANINGS",
    "Claim",
    "Cube",
    "Listing",
    "ListingState",
    "Reason",
    "RuleOutcome",
    "UnknownCache",
    "Verdict",
    "VerdictState",
    "claims_of",
    "listings",
]
