"""``servebook kv``: what a model keeps, for a record or for any config.json, as text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.attention.config import ConfigKeys, unwrap
from generator.attention.formats import FormatMismatch, sharded
from generator.attention.geometry import Geometry, NotDerivable, StateSlot
from generator.cache_table import CONTEXTS, Figure, figures_of
from generator.configs import config_keys
from generator.defaults import ClassDefaults, Filled
from generator.derive import derived
from generator.engine_states import EngineState, states_of
from generator.facts import Facts
from generator.layouts import formats
from generator.overpay import NOTHING, Overpay
from generator.read.declared import shipped_catalog
from generator.records import Catalog
from generator.report import to_json
from generator.units import binary, grouped, number

if TYPE_CHECKING:  # a config needs no knowledge base, and shall not wait for one
    from generator.knowledge import KnowledgeBase

__all__ = ["CONTEXTS", "Answer", "Gaps", "Question", "as_json", "as_text", "of_config", "of_record"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: lengths in tokens, layout keys (none: all), sequences, tensor-parallel ranks."""

    contexts: tuple[int, ...] = CONTEXTS
    caches: tuple[str, ...] = ()
    batch: int = 1
    tp: int = 1


@dataclass(frozen=True)
class Gaps:
    """What to do about keys that a config leaves to its class or that nobody has judged.

    ``on_record`` gives the class defaults that sources state for a model type; they count only where ``fill`` says so.
    """

    assume_neutral: tuple[str, ...] = ()
    fill: bool = False
    on_record: Callable[[str], Sequence[ClassDefaults]] | None = None


@dataclass(frozen=True)
class Answer:
    """The figures of one model, or the reason why there are none."""

    id: str
    ask: Question
    geometry: Geometry | None = None
    reason: str | None = None
    fields: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    known_layouts: tuple[str, ...] = ()
    state: Mapping[str, int] = field(default_factory=dict)
    states: tuple[EngineState, ...] = ()
    kernel_classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    overpay: Overpay = NOTHING
    class_defaults: Filled | None = None
    offered: Filled | None = None

    @property
    def derivable(self) -> bool:
        """Whether there is a figure at all."""
        return self.geometry is not None


def of_record(kb: KnowledgeBase, id: str, ask: Question) -> Answer:
    """The answer for a model on record."""
    facts = kb.facts[id]
    return _answer(facts, ask, kb.catalog)


def of_config(config: Mapping[str, Any], name: str, catalog: Catalog | None, gaps: Gaps, ask: Question) -> Answer:
    """The answer for a config.json. Without a knowledge base only the plain dtypes are known, and it says so."""
    notes = () if catalog else ("outside a knowledge base: only the plain dtypes are known, no engine's own formats",)
    catalog = catalog or shipped_catalog()
    keys, filled = config_keys(catalog), None
    geometry = derived(config, keys, {}, gaps.assume_neutral)
    if isinstance(geometry, NotDerivable):
        refused = Answer(name, ask, reason=geometry.reason, fields=geometry.fields, notes=notes)
        full, filled, note = _filled_in(config, keys, gaps)
        if full is None or not gaps.fill:
            return replace(refused, offered=filled, notes=(*notes, note) if note and gaps.fill else notes)
        geometry = full
    named = config.get("architectures")
    classes = frozenset(each for each in named if isinstance(each, str)) if isinstance(named, list) else frozenset()
    figures = figures_of(geometry, classes, formats(catalog))
    states = states_of(geometry, figures)[0]
    facts = Facts(name, config, geometry, figures=figures, state=states, class_defaults=filled)
    return _answer(facts, ask, catalog, notes)


def _filled_in(
    config: Mapping[str, Any], keys: ConfigKeys, gaps: Gaps
) -> tuple[Geometry | None, Filled | None, str | None]:
    """The geometry with the gaps filled by the class, and what filled them; or why nothing can."""
    defaults, problem = _defaults(config, gaps)
    if defaults is None:
        return None, None, problem
    given, stated = defaults.keys(whole=True), unwrap(config)
    geometry = derived(config, keys, given, gaps.assume_neutral)
    if isinstance(geometry, NotDerivable):
        return None, None, f"the class defaults of {defaults.source} do not help: {geometry.reason}"
    used = {key: value for key, value in given.items() if key in geometry.reads and key not in stated}
    return geometry, defaults.used(used), None


def _defaults(config: Mapping[str, Any], gaps: Gaps) -> tuple[ClassDefaults | None, str]:
    """What sources state for exactly this model type; none, with the reason, where there is none or they disagree."""
    model_type = unwrap(config).get("model_type")
    if gaps.on_record is None:
        return None, "outside a knowledge base no class defaults are known"
    if not isinstance(model_type, str):
        return None, "without a `model_type` nothing says which class's defaults hold"
    found = list(gaps.on_record(model_type))
    if not found:
        return None, f"no source on record states the class defaults of model type `{model_type}`"
    if any(other.keys(whole=True) != found[0].keys(whole=True) for other in found[1:]):
        return None, f"{' and '.join(each.source for each in found)} state different class defaults of `{model_type}`"
    return found[0], ""


def _answer(facts: Facts, ask: Question, catalog: Catalog, notes: tuple[str, ...] = ()) -> Answer:
    geometry = facts.geometry
    if geometry is None:
        return Answer(facts.id, ask, reason=facts.reason, fields=facts.fields, notes=notes)
    chosen = tuple(figure for figure in facts.figures if not ask.caches or figure.key in ask.caches)
    needs = catalog.tables.get("families", {}).get(geometry.family, {}).get("requires_any_of") or [[]]
    return Answer(
        facts.id,
        ask,
        geometry,
        figures=chosen,
        known_layouts=tuple(figure.key for figure in facts.figures),
        state=facts.state,
        states=facts.states,
        kernel_classes=tuple(needs[0]),
        notes=(*notes, *geometry.notes),
        overpay=facts.overpay,
        class_defaults=facts.class_defaults,
    )


# --- bytes under the question ---------------------------------------------------------------------------------------


def _bytes(answer: Answer, figure: Figure, tokens: int) -> Fraction:
    return figure.bytes(tokens) * answer.ask.batch


def _per_rank(answer: Answer, figure: Figure, tokens: int) -> Fraction | str:
    """Bytes on each rank; the reason where heads and ranks do not divide."""
    assert answer.geometry is not None
    try:
        return Fraction(sharded(answer.geometry, figure.layout, tokens, answer.ask.tp)) * answer.ask.batch
    except FormatMismatch:
        raise
    except ValueError as problem:
        return str(problem)


# --- JSON -----------------------------------------------------------------------------------------------------------


def as_json(answer: Answer) -> str:
    """The answer with the keys that others build on."""
    if answer.geometry is None:
        payload = {"id": answer.id, "derivable": False, "reason": answer.reason, "fields": list(answer.fields)}
        offered = {"class_defaults_on_record": _filled(answer.offered)}
        return to_json({**payload, **offered, "notes": list(answer.notes)})
    geometry, ask = answer.geometry, answer.ask
    payload = {
        "id": answer.id,
        "derivable": True,
        "reason": None,
        "family": geometry.family,
        "kernel_classes": list(answer.kernel_classes),
        "layers": dict(geometry.layers),
        "growth_bytes_per_token": {figure.key: number(figure.growth) for figure in answer.figures},
        "bytes": {
            str(tokens): {figure.key: number(_bytes(answer, figure, tokens)) for figure in answer.figures}
            for tokens in ask.contexts
        },
        "state_bytes": {name: size * ask.batch for name, size in answer.state.items()},
        "naive_gqa_bytes_per_token": geometry.naive_gqa_bytes_per_token,
        "materialised_bytes_per_token": geometry.materialised_bytes_per_token,
        "overpay": answer.overpay.as_object(),
        "overpay_basis": answer.overpay.about,
        "formula": {figure.key: figure.formula for figure in answer.figures},
        "streams": [_stream(stream) for stream in geometry.streams],
        "states": [{"slot": s.slot, "layers": s.layers, "scalars_per_row": s.scalars} for s in geometry.states],
        "geometry_only": [figure.key for figure in answer.figures if figure.geometry_only],
        "engines": {figure.key: list(figure.engines) for figure in answer.figures},
        "class_defaults": _filled(answer.class_defaults),
        "batch": ask.batch,
        "tp": ask.tp,
        "notes": list(answer.notes),
    }
    if ask.tp > 1:
        payload["per_rank_bytes"] = {
            str(tokens): {figure.key: _number(_per_rank(answer, figure, tokens)) for figure in answer.figures}
            for tokens in ask.contexts
        }
    return to_json(payload)


def _filled(filled: Filled | None) -> dict[str, Any] | None:
    return {"source": filled.source, "class": filled.class_name, "keys": dict(filled.keys)} if filled else None


def _number(value: Fraction | str) -> int | float | str:
    return value if isinstance(value, str) else number(value)


def _stream(stream: Any) -> dict[str, Any]:
    return {
        "role": stream.role,
        "layer_type": stream.layer_type,
        "layers": stream.layers,
        "entries": {"rule": stream.entries.rule, "n": stream.entries.n},
        "scalars_per_entry": stream.scalars,
        "width": stream.width,
    }


# --- text -----------------------------------------------------------------------------------------------------------


def as_text(answer: Answer) -> str:
    """The answer for a terminal: growth with its formula, bytes over lengths, state, and the naive figures."""
    if answer.geometry is None:
        lines = [f"{answer.id}: not derivable", f"  {answer.reason}", *(f"  note: {n}" for n in answer.notes)]
        if answer.offered:
            lines += [f"  on record as class default: {answer.offered}", "  --class-defaults computes with it"]
        return "\n".join(lines)
    geometry = answer.geometry
    layers = [f"{count} {name}" for name, count in geometry.layers.items() if count]
    cached = [] if geometry.streams else ["no cache entries"]
    states = [*_states(answer), *(() if answer.state else map(_slot, geometry.states))]
    blocks = [
        [f"{answer.id}: {', '.join([geometry.family, *layers, *cached])}"],
        _growth(answer) if geometry.streams else (),
        [*(_table(answer) if geometry.streams else ()), *states],
        [*_traps(answer), *answer.overpay.lines(), *_remarks(answer)],
    ]
    return "\n\n".join(filter(None, map("\n".join, blocks)))


def _remarks(answer: Answer) -> Iterator[str]:
    """What the figures rest on, and what a reader should know besides."""
    if answer.class_defaults:
        yield f"class default: {answer.class_defaults}"
    yield from (f"note: {note}" for note in answer.notes if not note.startswith("class default: "))


def _growth(answer: Answer) -> Iterator[str]:
    """What the cache grows by in each layout, with the numbers put in."""
    width = _width(answer)
    yield "growth, bytes per token"
    for figure in answer.figures:
        only = "  [geometry only]" if figure.geometry_only else ""
        yield f"  {figure.key:<{width}}  {grouped(figure.growth):>12}  {binary(figure.growth):>10}{only}"
        yield f"  {'':<{width}}  = {figure.formula.rsplit(' = ', 1)[0]}"


def _width(answer: Answer) -> int:
    return max((len(figure.key) for figure in answer.figures), default=0)


def _states(answer: Answer) -> Iterator[str]:
    """State by what it is; by engine where engines keep it differently, since alternatives do not add up."""
    batch = answer.ask.batch
    if len({tuple(state.parts.items()) for state in answer.states}) < 2:
        for name, size in answer.state.items():
            yield f"state {name}: {grouped(size * batch)} B ({binary(size * batch)}), whatever the length"
        return
    for state in answer.states:
        parts = " + ".join(f"{name} {grouped(size * batch)}" for name, size in state.parts.items())
        total = state.total * batch
        yield f"state in {state.engine.id}: {parts} = {grouped(total)} B ({binary(total)}), whatever the length"


def _slot(slot: StateSlot) -> str:
    """State whose bytes no engine on record gives."""
    size = "of a width that the config does not state" if slot.scalars is None else f"{grouped(slot.scalars)} scalars"
    return f"state {slot.slot}: {slot.layers} × {size}, whatever the length"


def _table(answer: Answer) -> list[str]:
    """What the cache holds over lengths; a layout that does not fit the ranks says why below."""
    ask, width = answer.ask, _width(answer)
    per = f", {ask.batch} sequences" if ask.batch > 1 else " per sequence"
    title = f"cache entries{per}" + (f", on each of {ask.tp} ranks" if ask.tp > 1 else "")
    heads = "".join(f"{grouped(tokens):>14}" for tokens in ask.contexts)
    rows = [f"  {'tokens':<{width}}{heads}"]
    problems: dict[str, None] = {}
    for figure in answer.figures:
        cells = []
        for tokens in ask.contexts:
            value = _per_rank(answer, figure, tokens) if ask.tp > 1 else _bytes(answer, figure, tokens)
            if isinstance(value, str):
                problems[value] = None
            cells.append("-" if isinstance(value, str) else binary(value))
        rows.append(f"  {figure.key:<{width}}" + "".join(f" {cell:>13}" for cell in cells))
    return [title, *rows, *(f"  {problem}" for problem in problems)]


def _traps(answer: Answer) -> list[str]:
    """The figures that calculators print, and by how much they are wrong for this model."""
    geometry = answer.geometry
    plain = next((figure.growth for figure in answer.figures if figure.key == "bf16"), None)
    lines = []
    if geometry is not None and geometry.naive_gqa_bytes_per_token and plain != geometry.naive_gqa_bytes_per_token:
        lines.append(_trap("naive GQA formula, bf16", geometry.naive_gqa_bytes_per_token, plain))
    if geometry is not None and geometry.materialised_bytes_per_token:
        lines.append(_trap("keys and values materialised per head, bf16", geometry.materialised_bytes_per_token, plain))
    return lines


def _trap(what: str, size: int, plain: Fraction | None) -> str:
    factor = f", {float(size / plain):.1f} times the cache above" if plain else ""
    return f"{what}: {grouped(size)} B/token{factor}"
