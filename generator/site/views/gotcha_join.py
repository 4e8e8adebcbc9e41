"""Gotchas joined with what is on record: a row for each condition, with the engine, GPUs and families that it is about.

A condition that no cell meets says which part of it fails. Parts are held against the record one after the other; where
engine, version, GPU and model all fit some cells, what is left of it is a setting that none of these cells makes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import Effect, cited, listed
from generator.compatibility.conditions import about_gpu, about_model, backends_in, others_in
from generator.compatibility.gotchas import Condition
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.gpus import product
from generator.notation.versions import range_words, satisfies
from generator.site.views.verdict_sums import SharedStep, Summary

OVER = (Effect.PAST, Effect.NOT_ABOUT_THIS)
"""What a cell says of a gotcha that it does not meet: it is past, or about another build."""


@dataclass(frozen=True)
class GotchaRow:
    """One condition of a gotcha, as tables show it."""

    gotcha: Record
    engine: Record | None
    kernel: str
    gpus: tuple[str, ...]
    """Ids of the GPUs on record that it names; empty where it names none, which means any."""
    about: tuple[str, ...]
    """Families or classes of models; empty for any."""
    settings: tuple[str, ...]
    effect: str | None
    status: str
    versions: str
    met: tuple[tuple[str, SharedStep], ...]
    fails: str

    @property
    def whose(self) -> str:
        """The id of the engine, or the kernel library where any engine may be met."""
        return self.engine.id if self.engine else self.kernel

    @property
    def by_setting(self) -> bool:
        """Whether it is met with a setting only, one that nobody makes by default."""
        return bool(self.settings) and all(effect == Effect.WITH_A_SETTING for effect, _ in self.met)

    @property
    def models(self) -> int:
        """How many models meet it somewhere."""
        return len({model for _, step in self.met for model in step.models})


@dataclass(frozen=True, eq=False)
class GotchaJoin:
    """The conditions of all gotchas, joined when asked for."""

    kb: KnowledgeBase
    summary: Summary

    @cached_property
    def rows(self) -> tuple[GotchaRow, ...]:
        """All of them, gotcha by gotcha."""
        return tuple(
            self._row(Condition(gotcha, when))
            for gotcha in self.kb.catalog.sound("gotcha")
            for when in gotcha.get("conditions")
        )

    def of_gotcha(self, gotcha: Record) -> list[GotchaRow]:
        """Those of one gotcha."""
        return [row for row in self.rows if row.gotcha.id == gotcha.id]

    def of_engine(self, engine: Record) -> list[GotchaRow]:
        """Those that name an engine, and those about a library that its cells meet."""
        met = {id for id, found in self.summary.by_gotcha.items() if any(name == engine.id for name, _ in found)}
        return [
            row
            for row in self.rows
            if (row.engine is not None and row.engine.id == engine.id) or (row.engine is None and row.gotcha.id in met)
        ]

    def of_gpu(self, gpu: str) -> list[GotchaRow]:
        """Those that name a GPU, by its id or its capability."""
        return [row for row in self.rows if gpu in row.gpus]

    @cached_property
    def products(self) -> Mapping[str, str]:
        """The product of each GPU on record: ``H100`` for ``h100-sxm``."""
        return {gpu.id: product(gpu.title) for gpu in self.kb.verdicts.gpus.values()}

    def named(self, row: GotchaRow) -> list[str]:
        """The products that a row is about, each once."""
        return list(dict.fromkeys(self.products[id] for id in row.gpus))

    def _row(self, each: Condition) -> GotchaRow:
        when, records = each.when, self.kb.catalog.records
        engine = next((records[id] for id in cited(when.get("engine")) if id in records), None)
        gpus = tuple(gpu.id for gpu in self.kb.verdicts.gpus.values() if when.get("gpus") and about_gpu(when, gpu))
        found = self.summary.by_gotcha.get(each.gotcha.id, {})
        here = [(effect, step) for (name, effect), step in found.items() if engine is None or name == engine.id]
        met = tuple((effect, step) for effect, step in here if effect not in OVER)
        return GotchaRow(
            gotcha=each.gotcha,
            engine=engine,
            kernel=str(when.get("kernel") or ""),
            gpus=gpus,
            about=tuple(when.get("families") or when.get("architectures") or when.get("gguf_architectures") or ()),
            settings=tuple(others_in(when.get("features") or ())),
            effect=each.get("effect"),
            status=str(each.get("status")),
            versions="; ".join(_versions(each, engine)),
            met=met,
            fails="" if met else _fails(self.kb, each, engine, gpus, {effect for effect, _ in here}),
        )


def _versions(each: Condition, engine: Record | None) -> Iterator[str]:
    """Since when and until when, in the versions of the engine and of the library."""
    if each.when.get("engine_versions"):
        yield f"{engine.title if engine else 'engine'} {range_words(each.when['engine_versions'])}"
    if each.when.get("kernel_versions"):
        yield f"{each.when.get('kernel')} {range_words(each.when['kernel_versions'])}"
    for fix in each.get("fixed_in") or ():
        if fix.get("version"):
            yield f"fixed in {fix.get('of')} {fix['version']}"


def _fails(
    kb: KnowledgeBase, each: Condition, engine: Record | None, gpus: tuple[str, ...], over: Collection[str]
) -> str:
    """Which part of a condition that no cell meets keeps it from being met; `over` is what cells say of it at all."""
    when = each.when
    wanted, own = when.get("engine_versions"), engine and engine.get("version")
    if engine and wanted and satisfies(own, wanted) is not True:
        known = own or "by its commit, which no range holds"
        return f"it holds {range_words(wanted)}; on record is {engine.title} {known}"
    if when.get("gpus") and not gpus:
        return f"no GPU on record is {listed(when['gpus'], 'or')}"
    models = [id for id, profile in kb.verdicts.profiles.items() if about_model(when, profile, None)]
    if not models and not when.get("gguf_architectures"):
        return f"no model on record is of {listed(when.get('families') or when.get('architectures') or (), 'or')}"
    if Effect.NOT_ABOUT_THIS in over:
        return f"it is about {when.get('kernel')}; the build that serves there is another one"
    if each.get("status") == "fixed" and Effect.PAST in over:
        return "it is fixed, and no release on record is known to have it"
    left = list(_asked(when))
    fit = f"{len(models)} model{'' if len(models) == 1 else 's'} and the GPUs fit"
    if not left:
        return f"{fit}, but something else decides their cells before it"
    return f"{fit}, but none of their cells is on record with {listed(left)}"


def _asked(when: Mapping[str, Any]) -> Iterator[str]:
    """What a condition asks for beyond engine, GPU and model."""
    if when.get("cache_formats"):
        yield f"the cache type {listed(when['cache_formats'], 'or')}"
    backends = backends_in(when.get("features") or ())
    if backends:
        yield f"the backend {listed(backends, 'or')}"
    yield from (f"`{each}`" for each in others_in(when.get("features") or ()))
    if when.get("kernel"):
        yield f"{when['kernel']} {range_words(when['kernel_versions']) if when.get('kernel_versions') else ''}".strip()
