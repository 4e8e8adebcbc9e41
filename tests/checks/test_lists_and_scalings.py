"""Each list of an engine speaks for itself; scalings are known by what their name contains, or are unknown."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Base

from generator.compatibility import VerdictState

REGISTRY = "tiny-engine-registry"


def paged(tiny: Base, names: str, *, whole: bool, key: str = "architecture") -> Base:
    """The tiny engine with a page of further classes; `whole`: its own list is exhaustive."""
    registry = (tiny.root / f"sources/{REGISTRY}.yaml").read_text("utf-8")
    page = registry.replace("title: ", "title: A page of models, not ").replace("facts_digest", "#facts_digest")
    lines = [line for line in page.splitlines() if not line.startswith(("exhaustive", "list_key", "#facts"))]
    head = "\n".join(lines[: next(n for n, line in enumerate(lines) if line.startswith("facts:"))])
    tiny.lay(
        {"sources/tiny-page.yaml": f"{head}\nexhaustive: false\nlist_key: {key}\nfacts:\n  architectures: [{names}]\n"}
    )
    if not whole:
        tiny.edit(f"sources/{REGISTRY}.yaml", "exhaustive: true", "exhaustive: false")
    engine = tiny.root / "records/engines/tiny-engine.yaml"
    text = engine.read_text("utf-8")
    return tiny.lay(
        {
            "records/engines/tiny-engine.yaml": text.replace(
                "architectures: ", 'more_lists: {page: "[[tiny-page]]"}\narchitectures: ', 1
            )
        }
    )


def chain(base: Base, model: str = "tiny-a") -> Any:
    return base.read().listings[model, "tiny-engine"]


def named_in_registry(tiny: Base) -> str:
    return str(tiny.read().listings["tiny-a", "tiny-engine"].reasons[0].value)


def test_what_both_lists_name_is_listed_by_the_engines_own(tiny: Base) -> None:
    name = named_in_registry(tiny)
    base = paged(tiny, name, whole=True)
    assert chain(base).state == "listed"
    assert chain(base).reasons[-1].cites == (REGISTRY,)
    assert not base.findings("CMP502")


@pytest.mark.parametrize("whole", [True, False])
def test_a_page_never_speaks_in_the_name_of_the_registry(tiny: Base, whole: bool) -> None:
    """The registry loses the class; a page still has it."""
    name = named_in_registry(tiny)
    base = paged(tiny, name, whole=whole)
    registry = base.root / f"sources/{REGISTRY}.yaml"
    base.lay({f"sources/{REGISTRY}.yaml": registry.read_text("utf-8").replace(name, "AnotherForCausalLM")})
    found = chain(base)
    step = next(reason for reason in found.reasons if reason.effect == "listed")
    assert step.cites == ("tiny-page",)
    assert step.text.startswith("A page of models")
    told = base.findings("CMP502")
    if whole:
        assert found.state == "sources-disagree"
        against = found.reasons[-1]
        assert (against.effect, against.cites) == ("disagrees", (REGISTRY,))
        assert base.read().verdicts.verdict("tiny-a", "tiny-engine", "tiny-gpu").state is VerdictState.SOURCES_DISAGREE
        assert len(told) == 1
        assert name in told[0].message
        assert told[0].location.path == "records/engines/tiny-engine.yaml"
    else:
        assert found.state == "listed"
        assert not told


def test_a_list_of_other_names_is_no_list_of_classes(tiny: Base) -> None:
    base = paged(tiny, "SomethingElse", whole=True, key="model_type")
    assert not base.findings("CMP502")
    assert chain(base).reasons[-1].cites == (REGISTRY,)


def test_the_real_engines_lists_agree(real: Any) -> None:
    for listing in real.listings.values():
        for step in listing.reasons:
            if step.rule == "listed" and step.effect == "listed" and step.cites and " lists " in step.text:
                assert step.text.startswith(real.catalog.records[step.cites[0]].title)


# --- DRV307 ----------------------------------------------------------------------------------------------------------

FIELD = "  v_head_dim: 16\n"
SCALINGS: dict[str, tuple[str, int, str | None]] = {  # the scaling, the stated length, what is told
    "no scaling": ("null", 8192, None),
    "the product": ("{type: yarn, factor: 4, original_max_position_embeddings: 8192}", 32768, None),
    "not stretched yet": ("{rope_type: yarn, factor: 4, original_max_position_embeddings: 8192}", 8192, None),
    "a longer name for yarn": (
        "{type: telechat3-yarn, factor: 2, original_max_position_embeddings: 8192}",
        16384,
        None,
    ),
    "linear promises nothing": ("{type: linear, factor: 8}", 8192, None),
    "llama3's factor multiplies nothing": (
        "{rope_type: llama3, factor: 8, original_max_position_embeddings: 8192}",
        131072,
        None,
    ),
    "a section of longrope": ("{type: su-scaled, factor: 3, original_max_position_embeddings: 8192}", 9000, None),
    "both keys, one of them known": ("{type: wibble, rope_type: default}", 8192, None),
    "yarn by a longer name, doubled": (
        "{type: telechat3-yarn, factor: 2, original_max_position_embeddings: 8192}",
        32768,
        "2 × 8,192 is 16,384",
    ),
    "another": ("{rope_type: deepseek_yarn, factor: 40, original_max_position_embeddings: 4096}", 65536, "163,840"),
    "in capitals": ("{rope_type: YaRN, factor: 4, original_max_position_embeddings: 4096}", 65536, "16,384"),
    "with a suffix": ("{type: yarn-v2, factor: 4, original_max_position_embeddings: 4096}", 65536, "16,384"),
    "for one kind of layers": (
        "{full_attention: {rope_type: x_yarn, factor: 4, original_max_position_embeddings: 4096}}",
        65536,
        "16,384",
    ),
    "a scheme nobody knows": ("{type: wibble, factor: 4, original_max_position_embeddings: 4096}", 16384, "`wibble`"),
    "a short name inside a word": ("{type: super, factor: 4}", 16384, "`super`"),
    "another nobody knows": ("{rope_type: spiral-9, factor: 2}", 16384, "unknown"),
}


@pytest.mark.parametrize(("scaling", "longest", "told"), SCALINGS.values(), ids=SCALINGS)
def test_scalings_are_known_by_what_their_name_contains(
    tiny: Base, scaling: str, longest: int, told: str | None
) -> None:
    field = f"{FIELD}  max_position_embeddings: {longest}\n  rope_scaling: {scaling}\n"
    found = tiny.edit("records/models/tiny-a.yaml", FIELD, field).findings("DRV307")
    if told is None:
        assert not found
    else:
        assert len(found) == 1
        assert told in found[0].message
