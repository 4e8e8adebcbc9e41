"""An answer as JSON, with the keys that others build on."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.cli.output.kv.answer import IfNeutral, KvAnswer
from generator.cli.output.kv.overpay import overpay_object
from generator.cli.output.to_json import to_json
from generator.derive.attention.geometry import Geometry
from generator.derive.class_defaults import DefaultsUsed
from generator.derive.config.fields import NotDerivable
from generator.derive.figures import CachePart
from generator.notation.units import number

if TYPE_CHECKING:  # what engines keep takes the rules of all engines, and is read where it is asked for
    from generator.cli.output.kv.in_engine import KvInEngine


def as_json(answer: KvAnswer, inside: KvInEngine | None = None) -> str:
    """The answer with the keys that others build on."""
    if answer.facts.geometry is None:
        return to_json(_refusal(answer))
    payload = _derived(answer, answer.facts.geometry)
    if inside:
        from generator.cli.output.kv.in_engine import engine_object

        payload["in_engine"] = engine_object(answer, inside)
    if answer.ask.tp > 1:
        payload["tp_refused"] = answer.ranks_refused
        payload["per_rank_growth_bytes_per_token"] = {
            figure.key: None if (each := answer.growth_per_rank(figure)) is None else number(each)
            for figure in answer.figures
        }
        payload["held_by_ranks"] = dict(answer.copies)
        payload["per_rank_bytes"] = {
            str(tokens): {figure.key: _number(answer.per_rank(figure, tokens)) for figure in answer.figures}
            for tokens in answer.ask.contexts
        }
    return to_json(payload)


def _weights(answer: KvAnswer) -> dict[str, Any]:
    """Bytes of weights as released, and in each quantization on record, with the reasons where there are none."""
    released = answer.facts.weights
    return {
        "as_released_bytes": None if released is None or isinstance(released, NotDerivable) else released.total,
        "reason": released.reason if isinstance(released, NotDerivable) else None,
        "computed_bytes": {each.record.id: each.bytes for each in answer.sizes},
        "refused": {each.record.id: each.reason for each in answer.sizes if each.bytes is None},
    }


def _refusal(answer: KvAnswer) -> dict[str, Any]:
    return {
        "id": answer.facts.id,
        "derivable": False,
        "reason": answer.facts.reason,
        "fields": list(answer.facts.fields),
        "class_defaults_on_record": _filled(answer.offered),
        "conditional": _conditional(answer.condition),
        "notes": list(answer.notes),
    }


def _conditional(condition: IfNeutral | None) -> dict[str, Any] | None:
    """Figures that nobody has proved, under a key of their own: whoever looks for growth does not find them."""
    if condition is None:
        return None
    return {
        "proved": False,
        "if_neutral": list(condition.keys),
        "growth_bytes_per_token": {key: number(size) for key, size in condition.growth.items()},
    }


def _derived(answer: KvAnswer, geometry: Geometry) -> dict[str, Any]:
    ask = answer.ask
    return {
        "id": answer.facts.id,
        "derivable": True,
        "reason": None,
        "family": geometry.family,
        "kernel_classes": list(answer.kernel_classes),
        "layers": dict(geometry.layers),
        "growth_bytes_per_token": {figure.key: number(figure.growth) for figure in answer.figures},
        "growth_by_length": {
            figure.key: [{"from_tokens": first, "bytes_per_token": number(each)} for first, each in figure.pieces]
            for figure in answer.figures
        },
        "bytes": {
            str(tokens): {figure.key: number(answer.bytes(figure, tokens)) for figure in answer.figures}
            for tokens in ask.contexts
        },
        "parts": _parts(answer),
        "states_by_engine": _states(answer),
        "state_bytes": {name: size * ask.batch for name, size in answer.facts.state.items()},
        "naive_gqa_bytes_per_token": geometry.naive_gqa_bytes_per_token,
        "materialised_bytes_per_token": geometry.materialised_bytes_per_token,
        "overpay": overpay_object(answer.facts.overpay),
        "overpay_basis": answer.facts.overpay.about,
        "formula": {figure.key: figure.formula for figure in answer.figures},
        "streams": [_stream(stream) for stream in geometry.streams],
        "states": [{"slot": s.slot, "layers": s.layers, "scalars_per_row": s.scalars} for s in geometry.states],
        "geometry_only": [figure.key for figure in answer.figures if figure.geometry_only],
        "engines": {figure.key: list(figure.engines) for figure in answer.figures},
        "class_defaults": _filled(answer.facts.class_defaults),
        "weights": _weights(answer),
        "batch": ask.batch,
        "tp": ask.tp,
        "notes": list(answer.notes),
    }


def _parts(answer: KvAnswer) -> dict[str, Any]:
    """Each kind of entry for itself, by length and layout."""
    batch = answer.ask.batch
    return {
        str(tokens): {figure.key: [_part(part, batch) for part in figure.parts(tokens)] for figure in answer.figures}
        for tokens in answer.ask.contexts
    }


def _states(answer: KvAnswer) -> list[dict[str, Any]]:
    """The state as each engine keeps it, part by part with its number type."""
    return [
        {
            "engine": state.engine.id,
            "parts": [
                {"state": name, "dtype": state.dtypes.get(name), "bytes": size * answer.ask.batch}
                for name, size in state.parts.items()
            ],
        }
        for state in answer.facts.states
    ]


def _part(part: CachePart, batch: int) -> dict[str, Any]:
    return {
        "role": part.stream.role,
        "layer_type": part.stream.layer_type,
        "layers": part.stream.layers,
        "bytes_per_entry": number(part.entry),
        "bytes": number(part.bytes * batch),
        "depends_on": part.depends_on,
    }


def _filled(filled: DefaultsUsed | None) -> dict[str, Any] | None:
    return {"source": filled.source, "class": filled.class_name, "keys": dict(filled.keys)} if filled else None


def _number(value: Fraction | str) -> int | float | str:
    return value if isinstance(value, str) else number(value)


def _stream(stream: Any) -> dict[str, Any]:
    return {
        "role": stream.role,
        "layer_type": stream.layer_type,
        "layers": stream.layers,
        "entries": {"rule": stream.entries.rule, "n": stream.entries.n, "most": stream.entries.most},
        "scalars_per_entry": stream.scalars,
        "width": stream.width,
    }
