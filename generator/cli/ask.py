"""``servebook kv``, ``why``, ``show`` and ``graph``: questions, and the answers in words or JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from generator.cli.config_file import any_config_at
from generator.cli.targets import COUNT, FORMAT, Stop, asked_base, found_root, here, record_named, suggestion


@click.command()
@click.argument("model", required=False)
@click.option("--config", "config", type=click.Path(path_type=Path), help="A config.json instead of a record.")
@click.option("--context", "contexts", multiple=True, type=COUNT, help="Tokens; may be repeated.")
@click.option("--cache", "caches", multiple=True, help="Only these cache layouts; may be repeated.")
@click.option("--batch", default=1, show_default=True, type=COUNT, help="Sequences.")
@click.option("--tp", default=1, show_default=True, type=COUNT, help="Tensor-parallel ranks.")
@click.option("--engine", help="Also what this engine keeps, by its cache policy.")
@click.option("--gpu", help="On this GPU, with --engine; otherwise on each kind that the engine treats apart.")
@click.option(
    "--assume-neutral", multiple=True, metavar="KEY", help="Vouch that a config key does not shape the cache."
)
@click.option(
    "--class-defaults",
    is_flag=True,
    help="Where --config is silent, compute with what its class sets by itself, if a source on record states it.",
)
@FORMAT
@click.pass_obj
def kv(
    root: Path | None,
    model: str | None,
    config: Path | None,
    contexts: tuple[int, ...],
    caches: tuple[str, ...],
    batch: int,
    tp: int,
    engine: str | None,
    gpu: str | None,
    assume_neutral: tuple[str, ...],
    class_defaults: bool,
    form: str,
) -> None:
    """What a model keeps per token and sequence, for MODEL on record or any --config FILE."""
    from generator.cli.output import kv as figures

    if (model is None) == (config is None):
        raise Stop("name a model on record, or a config with --config FILE")
    ask = figures.KvQuestion(contexts or figures.CONTEXTS, caches, batch, tp)
    outer = None
    if config is not None:
        answer, outer = _of_file(root, config, assume_neutral, class_defaults, ask)
    else:
        _for_configs_alone(assume_neutral, class_defaults)
        kb = asked_base(root)
        answer = figures.of_record(kb, record_named(kb, str(model), "model").id, ask)
    if answer.unknown_layouts:
        known = ", ".join(figure.key for figure in answer.facts.figures)
        raise Stop(f"no layout {', '.join(answer.unknown_layouts)} for {answer.facts.id}; known: {known}")
    kept = _inside(root, answer, outer, engine, gpu)
    click.echo(figures.as_json(answer, kept) if form == "json" else figures.as_text(answer, kept))
    raise click.exceptions.Exit(0 if _known(answer, kept) else 1)


def _for_configs_alone(assume_neutral: tuple[str, ...], class_defaults: bool) -> None:
    """Options that a record has fields for stop the run, with the field."""
    if class_defaults:
        raise Stop("--class-defaults goes with --config; a record names its source under `class_defaults`")
    if assume_neutral:
        raise Stop("--assume-neutral goes with --config; for a record the key belongs in schema/config_keys.yaml")


def _known(answer: Any, kept: Any) -> bool:
    """Whether there are the figures that were asked for."""
    return bool(answer.derivable and not answer.ranks_refused and (not kept or kept.derivable))


def _of_file(
    root: Path | None, config: Path, assume_neutral: tuple[str, ...], class_defaults: bool, ask: Any
) -> tuple[Any, Any]:
    """The answer for a config.json or its like, and the config by the names that Hugging Face gives its keys."""
    from generator.catalog.read.declared import shipped_catalog
    from generator.cli.output import kv as figures

    catalog, on_record, class_reads = _on_record(root)
    asked = any_config_at(config, (catalog or shipped_catalog()).tables)
    gaps = figures.Leeway(assume_neutral, class_defaults, on_record, class_reads)
    answer = figures.of_config(asked.keys, str(config), catalog, gaps, ask)
    if asked.dialect:
        said = f"{asked.dialect}, read by the names that its own readers give its keys"
        answer = replace(answer, notes=(said, *answer.notes))
    return answer, asked.keys


def _inside(root: Path | None, answer: Any, config: Any, engine: str | None, gpu: str | None) -> Any:
    """What an engine keeps, where one is asked for; it takes a knowledge base, also for a config without a record."""
    if engine is None:
        if gpu is not None:
            raise Stop("--gpu goes with --engine; `servebook why` and `servebook ask` answer for a GPU")
        return None
    from generator.cli.output.kv.in_engine import in_engine

    kb = asked_base(root)
    where = record_named(kb, gpu, "gpu") if gpu else None
    named = record_named(kb, engine, "engine")
    if config is None:
        names = kb.verdicts.caches.owner(answer.facts.id, named.id).names
    else:
        classes = config.get("architectures")
        words = [*(classes if isinstance(classes, list) else ()), config.get("model_type")]
        names = frozenset(word for word in words if isinstance(word, str))
    return in_engine(kb, answer, names, named, where)


def _on_record(root: Path | None) -> tuple[Any, Any, Any]:
    """The records of what engines store, and how to find class defaults and what classes read.

    Outside a knowledge base there are no records and no class defaults.
    """
    from generator.catalog.read import NoKnowledgeBase, find, find_root, read
    from generator.catalog.read.declared import shipped_reads
    from generator.derive.cited_config import reads_of
    from generator.derive.class_defaults import class_defaults
    from generator.derive.config.class_reads import FACTS

    try:
        folder = found_root(root) if root is not None else find_root(here())
        catalog = read(folder, only=("engine", "kernel"))
    except NoKnowledgeBase as problem:
        if root is not None:
            raise Stop(str(problem)) from None
        return None, None, lambda: reads_of(shipped_reads())

    def on_record(model_type: str) -> list[Any]:
        sources = find(folder, catalog, "source", "class:", "defaults:", model_type)
        stated = (class_defaults(source) for source in sources)
        return [each for each in stated if each and each.model_type == model_type]

    def class_reads() -> Any:
        return next((reads_of(source) for source in find(folder, catalog, "source", *FACTS)), None)

    return catalog, on_record, class_reads


@click.command()
@click.argument("model")
@click.option("--engine", required=True, help="The engine's id.")
@click.option("--gpu", required=True, help="The GPU's id.")
@click.option("--cache", help="A cache type as the engine spells it, or a layout of `servebook kv`; otherwise auto.")
@click.option("--context", type=COUNT, help="Tokens of each sequence; adds weights and cache.")
@click.option("--batch", type=COUNT, help="Sequences at a time; adds weights and cache. Default: 1.")
@click.option("--tp", type=COUNT, help="GPUs that share the model; adds weights and cache. Default: 1.")
@FORMAT
@click.pass_obj
def why(
    root: Path | None,
    model: str,
    engine: str,
    gpu: str,
    cache: str | None,
    context: int | None,
    batch: int | None,
    tp: int | None,
    form: str,
) -> None:
    """Whether ENGINE serves MODEL on GPU, and the chain of reasons behind the answer. A blocked verdict ends with 1.

    With --context, --batch or --tp also what weights and cache take of the GPU's memory: a figure, never a state.
    """
    from generator.cli.output import verdict as words
    from generator.compatibility import UnknownCache, VerdictState

    kb = asked_base(root)
    cell = (record_named(kb, model, "model").id, record_named(kb, engine, "engine").id, record_named(kb, gpu, "gpu").id)
    try:
        verdict = kb.verdicts.verdict(*cell, cache)
    except UnknownCache as unknown:
        near = suggestion(unknown.word, list(unknown.known)) or f"; known: {', '.join(unknown.known) or 'none'}"
        raise Stop(f"{engine} has no cache type `{unknown.word}` for {model}{near}") from None
    asked = words.question(context, batch, tp)
    fit = words.fitted(kb, verdict, asked) if asked else None
    click.echo(words.as_json(verdict, fit) if form == "json" else words.as_text(kb, verdict, fit))
    raise click.exceptions.Exit(1 if verdict.state is VerdictState.BLOCKED else 0)


@click.command()
@click.argument("id")
@FORMAT
@click.pass_obj
def show(root: Path | None, id: str, form: str) -> None:
    """A record with what follows from it."""
    from generator.cli.output import record as inspection

    kb = asked_base(root)
    record = record_named(kb, id)
    click.echo(inspection.show_json(kb, record) if form == "json" else inspection.show_text(kb, record))


@click.command()
@click.argument("id")
@FORMAT
@click.pass_obj
def graph(root: Path | None, id: str, form: str) -> None:
    """Who cites a record, what it cites, and what falls if it falls."""
    from generator.cli.output import record as inspection

    kb = asked_base(root)
    record = record_named(kb, id)
    click.echo(inspection.graph_json(kb, record) if form == "json" else inspection.graph_text(kb, record))
