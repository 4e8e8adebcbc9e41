"""``servebook kv``: what a model keeps, for a record or for any config.json, as text and as JSON."""

from __future__ import annotations

from generator.cli.output.kv.answer import KvAnswer, KvQuestion, Leeway, of_config, of_record
from generator.cli.output.kv.objects import as_json
from generator.cli.output.kv.text import as_text
from generator.derive.figures import CONTEXTS

__all__ = ["CONTEXTS", "KvAnswer", "KvQuestion", "Leeway", "as_json", "as_text", "of_config", "of_record"]
