"""``servebook kv``: what a model keeps, for a record or for any config.json, as text and as JSON."""

from __future__ import annotations

from generator.cache_table import CONTEXTS
from generator.figures.answer import Answer, Gaps, Question, of_config, of_record
from generator.figures.objects import as_json
from generator.figures.terminal import as_text

__all__ = ["CONTEXTS", "Answer", "Gaps", "Question", "as_json", "as_text", "of_config", "of_record"]
