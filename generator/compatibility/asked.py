"""What engines are asked for: the class or the model type of a model, who says so, and whether silence counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.compatibility.chain import Effect, Reason
from generator.derive.cited_config import CitedConfig
from generator.notation.citations import whole


def resolved(catalog: Catalog, text: Any) -> Record | None:
    mention = whole(str(text or ""))
    return catalog.resolve(mention).record if mention and not mention.problem else None


@dataclass(frozen=True, slots=True)
class Named:
    """A name that engines know models by, with the sources that state it.

    `firm` if those are the model's own, or if `witness`, the library of the class, pairs it with the model type.
    """

    value: str | None
    cites: tuple[str, ...] = ()
    firm: bool = True
    witness: Record | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What an engine is asked for: a class, or a model type where it lists by that."""

    architecture: Named
    model_type: Named


def pairs_of(catalog: Catalog) -> dict[tuple[str, str], Record]:
    """The pairs of model type and class that libraries state themselves, each with the source that holds it."""
    found: dict[tuple[str, str], Record] = {}
    for engine in catalog.sound("engine"):
        source = resolved(catalog, engine.get("architectures"))
        for fact, table in (source.get("facts") or {}).items() if source else ():
            if source and fact.endswith("_by_model_type") and isinstance(table, Mapping):
                found.update({(str(kind), str(name)): source for kind, name in table.items()})
    return found


def asked_for(catalog: Catalog, model: Record, pairs: Mapping[tuple[str, str], Record] | None = None) -> Asked:
    """The class that engines are asked for: the record's serving class, else the config's own."""
    cited = CitedConfig.of(catalog, model)
    config = {**cited.inner, **(model.get("architecture") or {})}
    architectures = (
        model.get("architecture", "architectures") or cited.outer.get("architectures") or config.get("architectures")
    )
    own = architectures[0] if isinstance(architectures, list) and architectures else None
    model_type = cited.outer.get("model_type") or config.get("model_type")
    witness = (pairs or {}).get((str(model_type), str(own)))
    return Asked(
        _named(catalog, model.get("serving_architecture"), own, cited.source, witness),
        _named(catalog, model.get("serving_model_type"), model_type, cited.source, witness),
    )


def _named(catalog: Catalog, serving: Any, own: Any, source: Record | None, witness: Record | None) -> Named:
    """What a record says that engines are asked for, else what the config names itself."""
    stated = serving if isinstance(serving, Mapping) else {}
    name = stated.get("value") or own
    by_cite = resolved(catalog, stated.get("cite"))
    cites = (by_cite.id,) if by_cite is not None else (source.id,) if source else ()
    # In the model's own config the class may have another name than in an edited copy: a match still says yes, silence
    # does not say no, unless the class and the type of the copy are a pair in the library of the class.
    firm = by_cite is not None or source is None or source.get("retrieval") != "secondary"
    second = None if firm or name != own else witness
    return Named(name if isinstance(name, str) else None, cites, firm or second is not None, second)


def asking(named: Named, name: str) -> Reason:
    """The step that names what engines are asked for, with the second witness where a copy alone says so."""
    text, cites = f"engines are asked for {name}", named.cites
    if named.witness is not None:
        text += f", as a copy of the config has it; {named.witness.title} pairs that class and that model type"
        cites = (*cites, named.witness.id)
    return Reason("named", Effect.ASKS, text, cites, name)
