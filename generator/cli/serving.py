"""``servebook ask``: whether a model runs and fits, with which engine, on how few GPUs and by which command."""

from __future__ import annotations

from pathlib import Path

import click

from generator.cli.targets import COUNT, FORMAT, Stop, asked_base, colour, record_named, suggestion

CONTEXT = 8192
"""Tokens of a sequence where a question names none."""


@click.command()
@click.argument("model")
@click.option("--gpu", help="The GPU's id; otherwise the smallest box on record that the model fits on.")
@click.option("--count", type=COUNT, help="So many of it share the model; 1 otherwise.")
@click.option("--context", default=CONTEXT, show_default=True, type=COUNT, help="Tokens of each sequence.")
@click.option("--sequences", default=1, show_default=True, type=COUNT, help="Sequences at a time.")
@click.option("--engine", help="Only this engine.")
@click.option("--cache", help="A cache type as engines spell it, or a layout of `servebook kv`; otherwise auto.")
@FORMAT
@click.pass_obj
def ask(
    root: Path | None,
    model: str,
    gpu: str | None,
    count: int | None,
    context: int,
    sequences: int,
    engine: str | None,
    cache: str | None,
    form: str,
) -> None:
    """Whether MODEL runs and fits: kernels and memory apart, engine by engine, and the command that serves it.

    Ends with 1 where no engine on record both may serve it there and has the memory, or where that is not known.
    """
    from generator.cli.output import serving as words
    from generator.compatibility import UnknownCache
    from generator.compatibility.serving import ServingQuestion

    if count is not None and gpu is None:
        raise Stop("--count goes with --gpu; without them the smallest box is looked for")
    kb = asked_base(root)
    named = record_named(kb, model, "model")
    engines = [record_named(kb, engine, "engine")] if engine else list(kb.catalog.sound("engine"))
    place = record_named(kb, gpu, "gpu").id if gpu else None
    question = ServingQuestion(named.id, context, sequences, cache, place, count or 1)
    longest = kb.facts[named.id].longest
    if longest is not None and context > longest:
        raise Stop(f"{named.id} takes sequences of {longest:,} tokens at most; ask for --context {longest} or less")
    try:
        found = words.answer(kb, question, engines)
    except UnknownCache as unknown:
        near = suggestion(unknown.word, list(unknown.known)) or f"; known: {', '.join(unknown.known) or 'none'}"
        raise Stop(f"no engine has a cache type `{unknown.word}` for {named.id}{near}") from None
    click.echo(words.as_json(found) if form == "json" else words.as_text(found, colour()))
    raise click.exceptions.Exit(0 if found.best is not None else 1)
