"""One door to what a geometry costs: formats and layouts, their bytes, and the formulas that show them."""

from generator.attention.costs import entry_bytes, exact, growth, sharded, state_bytes, state_parts
from generator.attention.formula import exact_formula, formula, window_formula
from generator.attention.layouts import CacheFormat, CacheLayout, FormatMismatch

__all__ = [
    "CacheFormat",
    "CacheLayout",
    "FormatMismatch",
    "entry_bytes",
    "exact",
    "exact_formula",
    "formula",
    "growth",
    "sharded",
    "state_bytes",
    "state_parts",
    "window_formula",
]
