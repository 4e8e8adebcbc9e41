"""An answer for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from generator.cli.output.kv.answer import IfNeutral, KvAnswer
from generator.cli.output.kv.overpay import overpay_lines
from generator.derive.attention.geometry import StateSlot
from generator.derive.config.fields import NotDerivable
from generator.derive.figures import Figure
from generator.notation.units import binary, grouped

if TYPE_CHECKING:  # what engines keep takes the rules of all engines, and is read where it is asked for
    from generator.cli.output.kv.in_engine import KvInEngine


def as_text(answer: KvAnswer, inside: KvInEngine | None = None) -> str:
    """The answer for a terminal: growth with its formula, bytes over lengths, state, and the naive figures."""
    if answer.facts.geometry is None:
        lines = [
            f"{answer.facts.id}: not derivable",
            f"  {answer.facts.reason}",
            *(f"  note: {n}" for n in answer.notes),
        ]
        if answer.offered:
            lines += [f"  on record as class default: {answer.offered}", "  --class-defaults computes with it"]
        if answer.condition and answer.condition.growth:
            lines.append(_conditional(answer.condition))
        return "\n".join(lines)
    geometry = answer.facts.geometry
    layers = [f"{count} {name}" for name, count in geometry.layers.items() if count]
    cached = [] if geometry.streams else ["no cache entries"]
    states = [*_states(answer), *(() if answer.facts.state else map(_slot, geometry.states))]
    blocks = [
        [f"{answer.facts.id}: {', '.join([geometry.family, *layers, *cached])}"],
        _growth(answer) if geometry.streams else (),
        [*(_table(answer) if geometry.streams else ()), *states],
        _inside(answer, inside) if inside else [],
        [*_traps(answer), *overpay_lines(answer.facts.overpay), *_remarks(answer)],
        list(_weights(answer)),
    ]
    return "\n\n".join(filter(None, map("\n".join, blocks)))


def _conditional(condition: IfNeutral) -> str:
    """One figure that would hold; --assume-neutral gives the others to whoever vouches for the keys."""
    names = ", ".join(f"`{key}`" for key in condition.keys)
    layout = "bf16" if "bf16" in condition.growth else next(iter(condition.growth))
    verb = "shape" if condition.keys[1:] else "shapes"
    return f"  not proved: {grouped(condition.growth[layout])} B/token in {layout} if {names} {verb} nothing"


def _inside(answer: KvAnswer, inside: KvInEngine) -> list[str]:
    from generator.cli.output.kv.in_engine import engine_lines

    return list(engine_lines(answer, inside))


def _remarks(answer: KvAnswer) -> Iterator[str]:
    """What the figures rest on, and what else a reader should know."""
    if answer.facts.class_defaults:
        yield f"class default: {answer.facts.class_defaults}"
    yield from (f"note: {note}" for note in answer.notes if not note.startswith("class default: "))


def _weights(answer: KvAnswer) -> Iterator[str]:
    """What the weights take as released, and what they would take in each quantization on record."""
    sized = sorted((each for each in answer.sizes if each.bytes), key=lambda each: each.bytes or 0)
    if answer.facts.weights is None and not sized:
        return
    yield "weights of the language model"
    if isinstance(answer.facts.weights, NotDerivable):
        yield f"  as released: not derivable: {answer.facts.weights.reason}"
    elif answer.facts.weights:
        yield f"  as released: {grouped(answer.facts.weights.total)} B ({binary(answer.facts.weights.total)})"
    if sized:
        yield "  computed from the count, whether such a file exists or not:"
    width = max((len(each.name) for each in sized), default=0)
    for each in sized:
        yield f"  {each.name:<{width}}  {grouped(each.bytes or 0):>17}  {binary(each.bytes or 0):>10}"


def _growth(answer: KvAnswer) -> Iterator[str]:
    """What the cache grows by in each layout, with the numbers put in."""
    width = _width(answer)
    yield "growth, bytes per token"
    for figure in answer.figures:
        only = "  [geometry only]" if figure.geometry_only else ""
        yield f"  {figure.key:<{width}}  {grouped(figure.growth):>12}  {binary(figure.growth):>10}{only}"
        yield f"  {'':<{width}}  = {figure.formula.rsplit(' = ', 1)[0]}{_by_length(figure)}"
    if answer.ask.tp > 1:
        yield from _per_rank(answer, width)


def _by_length(figure: Figure) -> str:
    """Growth below and beyond the windows: ``; 507,904 up to 1,024 tokens, 81,920 beyond``."""
    if len(figure.pieces) < 2:
        return ""
    steps = [f"{grouped(each)} up to {grouped(end)} tokens" for (_, each), (end, _) in pairwise(figure.pieces)]
    return f"; {', '.join(steps)}, {grouped(figure.pieces[-1][1])} beyond"


def _per_rank(answer: KvAnswer, width: int) -> Iterator[str]:
    """Growth on each rank, and what several ranks hold; or why the ranks cannot be."""
    if answer.ranks_refused:
        yield f"no figure for {answer.ask.tp} ranks: {answer.ranks_refused}"
        return
    yield f"growth on each of {answer.ask.tp} ranks, bytes per token"
    for figure in answer.figures:
        each = answer.growth_per_rank(figure)
        yield f"  {figure.key:<{width}}  {grouped(each or 0):>12}  {binary(each or Fraction(0)):>10}"
    for what, ranks in answer.copies.items():
        yield f"  {what}: held by {ranks} ranks" + (", each with a full copy" if what.endswith("row") else "")


def _width(answer: KvAnswer) -> int:
    return max((len(figure.key) for figure in answer.figures), default=0)


def _states(answer: KvAnswer) -> Iterator[str]:
    """State by what it is; by engine where engines keep it differently, since alternatives do not add up."""
    batch = answer.ask.batch
    if len({tuple(state.parts.items()) for state in answer.facts.states}) < 2:
        named = answer.facts.states[0].named if answer.facts.states else str
        for name, size in answer.facts.state.items():
            yield f"state {named(name)}: {grouped(size * batch)} B ({binary(size * batch)}), whatever the length"
        return
    for state in answer.facts.states:
        parts = " + ".join(f"{state.named(name)} {grouped(size * batch)}" for name, size in state.parts.items())
        total = state.total * batch
        yield f"state in {state.engine.id}: {parts} = {grouped(total)} B ({binary(total)}), whatever the length"


def _slot(slot: StateSlot) -> str:
    """State whose bytes no engine on record gives."""
    size = "of a width that the config does not state" if slot.scalars is None else f"{grouped(slot.scalars)} scalars"
    return f"state {slot.slot}: {slot.layers} × {size}, whatever the length"


def _table(answer: KvAnswer) -> list[str]:
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
            value = answer.per_rank(figure, tokens) if ask.tp > 1 else answer.bytes(figure, tokens)
            if isinstance(value, str):
                problems[value] = None
            cells.append("-" if isinstance(value, str) else binary(value))
        rows.append(f"  {figure.key:<{width}}" + "".join(f" {cell:>13}" for cell in cells))
    return [title, *rows, *(f"  {problem}" for problem in problems), *_cross(answer)]


def _cross(answer: KvAnswer) -> Iterator[str]:
    """The caches of an encoder-decoder apart: what the encoder fills does not depend on the decoder's length."""
    geometry, ask = answer.facts.geometry, answer.ask
    if geometry is None or answer.ranks_refused or not any(figure.crossing for figure in answer.figures):
        return
    width, parts = (
        _width(answer),
        {figure.key: [figure.parts(n, ask.tp) for n in ask.contexts] for figure in answer.figures},
    )
    for number, stream in enumerate(geometry.streams):
        first = parts[answer.figures[0].key][0][number]
        yield f"  of which {stream.layer_type.replace('_', ' ')}, decided by {first.depends_on}"
        for key, lengths in parts.items():
            yield f"  {key:<{width}}" + "".join(f" {binary(each[number].bytes * ask.batch):>13}" for each in lengths)


def _traps(answer: KvAnswer) -> list[str]:
    """The figures that calculators print, and by how much they are wrong for this model."""
    geometry = answer.facts.geometry
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
