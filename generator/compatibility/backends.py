"""The backend records as predicates: which GPU, which cache, which widths; and how far each was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.compatibility.chain import cited, listed
from generator.notation.gpus import Gpu, any_covers
from generator.notation.versions import package, pinned, satisfies

WHOLE = ("prefill", "decode")
"""The parts that a backend serves which names none."""

BY_HAND = "the backend named by hand"
"""How a record says that the engine never chooses a backend by itself."""


class Grade(IntEnum):
    """What an answer is worth. Only a gate that accepts can carry a chain; what was not read proves nothing."""

    REFUSES = 0
    UNREAD = 1
    UNGATED = 2
    PROVES = 3


@dataclass(frozen=True, slots=True)
class Sizes:
    """Which values are accepted."""

    any_of: tuple[int, ...] = ()
    multiple_of: int = 1
    low: int | None = None
    high: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Sizes:
        """From a record's ``{any_of, multiple_of, min, max}``."""
        return cls(tuple(row.get("any_of") or ()), row.get("multiple_of") or 1, row.get("min"), row.get("max"))

    def accept(self, value: int) -> bool:
        """Whether a value is among them."""
        bounded = (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        return bounded and (not self.any_of or value in self.any_of) and value % self.multiple_of == 0

    @property
    def shown(self) -> str:
        """In words."""
        if self.any_of:
            return listed((str(value) for value in self.any_of), "or")
        words = [f"multiples of {self.multiple_of}"] if self.multiple_of > 1 else []
        words += [f"from {self.low}"] if self.low is not None else []
        words += [f"up to {self.high}"] if self.high is not None else []
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Variant:
    """What holds on some GPUs."""

    grade: Grade
    gpus: tuple[str, ...]
    formats: tuple[str, ...]
    doubtful: frozenset[str]
    sizes: Sizes | None
    needs: tuple[tuple[str, Sizes], ...]
    excluded: frozenset[str]
    parts: tuple[str, ...]
    lacking: tuple[str, ...]
    opt_in: tuple[str, ...]
    packages: frozenset[str]
    cites: tuple[str, ...]

    def covers(self, gpu: Gpu) -> bool:
        """Whether it is about this GPU; without a gate it is about every GPU of the platform."""
        return not self.gpus or any_covers(self.gpus, gpu)


@dataclass(frozen=True, eq=False)
class Backend:
    """One attention provider of an engine."""

    record: Record
    name: str
    platform: str
    classes: frozenset[str]
    serves: frozenset[str] | None
    architectures: frozenset[str] | None
    variants: tuple[Variant, ...]
    cites: tuple[str, ...]
    kernel: Record | None

    def provides(self, classes: Iterable[str], family: str, architecture: str | None) -> bool:
        """Whether it is made for these classes, in models of this family and architecture."""
        fits = self.architectures is None or architecture in self.architectures
        return fits and self.classes.issuperset(classes) and (self.serves is None or family in self.serves)

    def does(self, part: str) -> bool:
        """Whether some variant does a part of the work."""
        return any(part in variant.parts for variant in self.variants)

    @property
    def gpus(self) -> tuple[str, ...]:
        """All GPUs that some variant's gate accepts."""
        return tuple(dict.fromkeys(gpu for variant in self.variants for gpu in variant.gpus))


@dataclass(frozen=True, slots=True)
class BackendFit:
    """What one variant of a backend says to a question, and why, where it does not simply accept.

    `by_cache`: it is the cache type that it refuses.
    """

    backend: Backend
    variant: Variant
    grade: Grade
    why: str = ""
    by_cache: bool = False


def backends_of(catalog: Catalog, engine: Record) -> tuple[Backend, ...]:
    """The backends of an engine that exist in its version on record."""
    version = engine.get("version")
    found = []
    for record in catalog.sound("backend"):
        if cited(record.get("engine")) != (engine.id,):
            continue
        since, until = record.get("since"), record.get("until")
        if (since and satisfies(version, f">={since}") is False) or (
            until and satisfies(version, f"<={until}") is False
        ):
            continue
        found.append(_backend(catalog, engine, record))
    return tuple(found)


def _backend(catalog: Catalog, engine: Record, record: Record) -> Backend:
    kernel = cited(record.get("kernel"))
    pins = {package(name): pin for name, pin in (engine.get("pins") or {}).items()}
    own = record.get("part")
    serves, only = record.get("serves"), record.get("architectures")
    return Backend(
        record,
        str(record.get("name")),
        str(record.get("platform")),
        frozenset(record.get("kernel_classes")),
        frozenset(serves) if serves else None,
        frozenset(only) if only else None,
        tuple(_variant(row, (own,) if own else WHOLE, pins) for row in record.get("variants")),
        cited(*record.get("cites")),
        catalog.records.get(kernel[0]) if kernel else None,
    )


def _variant(row: Mapping[str, Any], parts: tuple[str, ...], pins: Mapping[str, str]) -> Variant:
    grade = {"gate": Grade.PROVES, "ungated": Grade.UNGATED}.get(row["grade"], Grade.UNREAD)
    requires = row.get("requires") or ()
    lacking = [each["what"] for each in requires if each["from"] == "optional"]
    for each in requires:
        if each["from"] != "optional" and each.get("versions") and each.get("package"):
            has = pinned(pins.get(package(each["package"])))
            if has is not None and satisfies(has, each["versions"]) is False:
                lacking.append(f"{each['what']} {each['versions']}, where the release pins {has}")
    return Variant(
        grade,
        tuple(row.get("gpus") or ()),
        tuple(row.get("cache_formats") or ()),
        frozenset(row.get("doubtful_formats") or ()),
        Sizes.of(row["head_sizes"]) if "head_sizes" in row else None,
        tuple((key, Sizes.of(sizes)) for key, sizes in (row.get("needs") or {}).items()),
        frozenset(row.get("classes_excluded") or ()),
        (row["part"],) if row.get("part") else parts,
        tuple(lacking),
        tuple(each["what"] for each in requires if each["from"] == "opt-in"),
        frozenset(package(each["package"]) for each in requires if each.get("package")),
        cited(*(row.get("cites") or ()), *(each.get("cite") for each in requires)),
    )


def ask(
    backend: Backend,
    variant: Variant,
    classes: Iterable[str],
    widths: Mapping[str, frozenset[int]],
    config: Mapping[str, Any],
    formats: frozenset[str] | None,
) -> BackendFit:
    """What a variant that covers the GPU says to a job: refuse, unread, ungated or proof."""
    for name in classes:
        if name in variant.excluded:
            return BackendFit(backend, variant, Grade.REFUSES, f"does not provide {name} there")
    if formats is not None and variant.formats and not formats & set(variant.formats):
        return BackendFit(
            backend, variant, Grade.REFUSES, f"does not take {listed(sorted(formats), 'or')}", by_cache=True
        )
    for key, accepted in variant.needs:
        if key not in config:
            return BackendFit(backend, variant, Grade.UNREAD, f"asks for {key}, which the config does not state")
        if not accepted.accept(config[key]):
            why = f"wants {key} {accepted.shown}, the model has {config[key]}"
            return BackendFit(backend, variant, Grade.REFUSES, why)
    unknown = ""
    compared = [name for name in classes if name in widths]
    if variant.sizes is not None and compared:
        own = frozenset().union(*(widths[name] for name in compared))
        wrong = sorted(width for width in own if not variant.sizes.accept(width))
        if wrong:
            return BackendFit(backend, variant, Grade.REFUSES, f"takes widths {variant.sizes.shown}, not {wrong[0]}")
        unknown = "" if own else "compares a width that the config does not state"
    if variant.lacking:
        return BackendFit(backend, variant, Grade.UNREAD, f"needs {listed(variant.lacking)}, not in a default install")
    if formats is not None and (not variant.formats or formats & variant.doubtful):
        unknown = unknown or "was not read for this cache type"
    if unknown or variant.grade is Grade.UNREAD:
        return BackendFit(backend, variant, Grade.UNREAD, unknown or "was not read for this GPU")
    return BackendFit(backend, variant, variant.grade)
