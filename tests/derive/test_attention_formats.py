"""Geometries to bytes, against figures that others measured (data/kv_published.yaml)."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import HERE, ROOT
from hypothesis import given
from hypothesis import strategies as st

from generator.derive.attention import (
    CacheFormat,
    CacheLayout,
    ConfigKeys,
    Entries,
    FormatMismatch,
    Geometry,
    derive,
    entry_bytes,
    exact,
    formula,
    growth,
    sharded,
    window_formula,
)
from generator.derive.attention.costs import state_parts


def state_bytes(geometry: Geometry, kept: CacheLayout) -> int | None:
    parts = state_parts(geometry, kept)
    return None if parts is None else sum(size for _, size in parts)


def load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


KEYS = ConfigKeys.from_table(load(ROOT / "schema" / "config_keys.yaml"))
PUBLISHED = load(HERE / "data" / "kv_published.yaml")

EVERY = frozenset({"kv", "window", "index", "state"})
BOTH = frozenset({"kv", "window"})
V4 = frozenset({"csa_hca", "csa2"})


def uniform(name: str, size: str) -> CacheFormat:
    return CacheFormat(f"uniform#{name}", EVERY, bytes_per_scalar=Fraction(size))


def record(
    name: str, roles: frozenset[str], families: frozenset[str], size: int, scalars: int, **more: Any
) -> CacheFormat:
    return CacheFormat(f"vllm#{name}", roles, families, bytes_per_entry=size, scalars=scalars, **more)


BF16, FP8 = uniform("bf16", "2"), uniform("fp8", "1")
DSA = frozenset({"mla_dsa"})
INDEX = frozenset({"mla_dsa", "csa_hca", "csa2"})
FORMATS = {
    form.name: form
    for form in (
        BF16,
        FP8,
        record("fp8_ds_mla_v32", frozenset({"kv"}), DSA, 656, 576),
        record("nvfp4_ds_mla_v32", frozenset({"kv"}), DSA, 352, 576),
        record("fp8_ds_mla_v4", BOTH, V4, 584, 512),
        record("dsv4_plain_fp8", BOTH, V4, 512, 512),
        record("dsv4_bf16", BOTH, V4, 1024, 512),
        record("fp8_ds_mla_v41", BOTH, frozenset({"csa2"}), 528, 512),
        record(
            "nvfp4_ds_mla_v41", frozenset({"kv"}), frozenset({"csa2"}), 288, 512, window_format="vllm#fp8_ds_mla_v41"
        ),
        record("index_fp8", frozenset({"index"}), INDEX, 132, 128),
        record("index_mxfp4", frozenset({"index"}), INDEX, 68, 128),
    )
}
STATE = frozenset({"state"})
RINGS = (
    record("ring_c4_main", STATE, frozenset({"csa_hca"}), 8192, 2048, slot="ring_c4_main", rows=8),
    record("ring_c4_index", STATE, frozenset({"csa_hca"}), 2048, 512, slot="ring_c4_index", rows=8),
    record("ring_c128_main", STATE, frozenset({"csa_hca"}), 4096, 1024, slot="ring_c128_main", rows=128),
    record("ring_c2_main", STATE, frozenset({"csa2"}), 4096, 1024, slot="ring_c2_main", rows=8),
)
TYPES = {"conv": 2, "ssm": 4, "recurrent": 4}
RECURRENT = tuple(
    CacheFormat(f"vllm#{slot}", STATE, bytes_per_scalar=Fraction(size), slot=slot)
    for slot, size in (
        *((f"{kind}_{part}", TYPES[part]) for kind in ("gdn", "mamba2", "mamba1") for part in ("conv", "ssm")),
        *((f"kda_{part}", TYPES[part]) for part in ("conv", "recurrent")),
        ("lightning_recurrent", 2),
    )
)
INT8 = CacheFormat(
    "vllm#int8_per_token_head", frozenset({"kv"}), bytes_per_scalar=Fraction(1), extra_bytes_per_head=Fraction(8)
)


def layout(key: str) -> CacheLayout:
    """The layout that goes by this key: a uniform dtype holds everything, a record the windows it implies."""
    kv_name, _, index_name = key.partition("+")
    kv = FORMATS[kv_name]
    window = FORMATS["fp8_ds_mla_v41"] if kv.window_format else None
    index = FORMATS[index_name] if index_name else kv if kv.bytes_per_scalar else None
    return CacheLayout(kv, window, index, RINGS + RECURRENT)


def geometry(config: dict[str, Any]) -> Geometry:
    found = derive(config, KEYS)
    assert isinstance(found, Geometry), found
    return found


MODELS = {row["id"]: geometry(row["config"]) for row in PUBLISHED}
CASES = [(row["id"], key) for row in PUBLISHED for key in row["growth"]]


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in PUBLISHED])
def test_published_figures(row: dict[str, Any]) -> None:
    found = MODELS[row["id"]]
    assert found.family == row["family"]
    assert found.layers == row["layers"]
    assert {key: growth(found, layout(key)) for key in row["growth"]} == row["growth"]
    for key, lengths in row["bytes"].items():
        assert {n: exact(found, layout(key), n, row.get("encoder", 0)) for n in lengths} == lengths, key
    if "state_bytes" in row:
        assert state_bytes(found, layout(next(iter(row["growth"])))) == row["state_bytes"]


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in PUBLISHED if "transformers" in row])
def test_measured_tensors(row: dict[str, Any]) -> None:
    found, state = MODELS[row["id"]], row.get("transformers_state", 0)
    windowed = [s for s in found.streams if s.entries.rule in ("window", "chunk")]
    shorter = {s: replace(s, entries=Entries(s.entries.rule, s.entries.n - 1)) for s in windowed}
    kept = replace(found, streams=tuple(shorter.get(stream, stream) for stream in found.streams))
    assert {n: exact(kept, layout("bf16"), n) + state for n in row["transformers"]} == row["transformers"]


# (model, layout, what, figure): typed from the design, independent of the table above.
STATED = [
    ("deepseek-v2", "bf16", 69_120),
    ("deepseek-v2-lite", "bf16", 31_104),
    ("kimi-k2", "bf16", 70_272),
    ("glm-4.7-flash", "bf16", 54_144),
    ("deepseek-v3.2", "bf16", 85_888),
    ("deepseek-v3.2", "fp8_ds_mla_v32+index_fp8", 48_068),
    ("deepseek-v3.2", "bf16+index_fp8", 78_324),
    ("deepseek-v3.2", "fp8+index_fp8", 43_188),
    ("deepseek-v3.2", "fp8_ds_mla_v32+index_mxfp4", 44_164),
    ("deepseek-v3.2", "nvfp4_ds_mla_v32+index_fp8", 29_524),
    ("glm-5", "bf16", 109_824),
    ("glm-5", "fp8+index_fp8", 55_224),
    ("glm-5", "fp8_ds_mla_v32+index_fp8", 61_464),
    ("glm-5.2", "bf16", 95_232),
    ("deepseek-v4-flash", "bf16", 6_880),
    ("deepseek-v4-flash", "fp8_ds_mla_v4+index_fp8", Fraction("3850.25")),
    ("deepseek-v4-flash", "fp8_ds_mla_v4+index_mxfp4", Fraction("3514.25")),
    ("deepseek-v4-flash", "dsv4_plain_fp8+index_fp8", 3_461),
    ("deepseek-v4-flash", "dsv4_bf16+index_fp8", 6_229),
    ("deepseek-v4-pro", "bf16", 9_848),
    ("deepseek-v4-pro", "fp8_ds_mla_v4+index_fp8", Fraction("5511.4375")),
    ("deepseek-v4.1-flash", "nvfp4_ds_mla_v41+index_mxfp4", 890),
    ("deepseek-v4.1-flash", "nvfp4_ds_mla_v41+index_fp8", 1_050),
    ("deepseek-v4.1-flash", "fp8_ds_mla_v41+index_mxfp4", 1_490),
    ("deepseek-v4.1-flash", "fp8_ds_mla_v41+index_fp8", 1_650),
    ("deepseek-v4.1-flash", "fp8_ds_mla_v4+index_mxfp4", 1_630),
    ("deepseek-v4.1-flash", "fp8_ds_mla_v4+index_fp8", 1_790),
    ("deepseek-v4.1-flash", "bf16", 3_200),
    ("llama-3.1-405b", "bf16", 516_096),
    ("qwen3-32b", "bf16", 262_144),
]


@pytest.mark.parametrize(("model", "key", "figure"), STATED)
def test_stated_growth(model: str, key: str, figure: Fraction) -> None:
    assert growth(MODELS[model], layout(key)) == figure
    assert layout(key).key == key


def test_stated_bytes_and_state() -> None:
    flash, pro, v41 = (MODELS[f"deepseek-{name}"] for name in ("v4-flash", "v4-pro", "v4.1-flash"))
    bf16 = layout("bf16")
    assert exact(flash, bf16, 4_096) == 33_816_576
    assert exact(flash, bf16, 1_048_576) == 7_219_838_976
    assert exact(pro, bf16, 1_048_576) == 10_334_371_840
    assert exact(v41, layout("nvfp4_ds_mla_v41+index_mxfp4"), 1_048_576) == 935_936_000
    assert [state_bytes(model, bf16) for model in (flash, pro, v41)] == [12_206_080, 18_710_528, 98_304]
    assert state_bytes(flash, CacheLayout(BF16)) is None
    assert state_bytes(MODELS["llama-3.1-8b"], CacheLayout(BF16)) == 0


FORMULAS = [
    ("deepseek-v2", "bf16", "60 × (512 + 64) × 2 = 69,120 B/token"),
    ("llama-3.1-8b", "bf16", "32 × 8 × (128 + 128) × 2 = 131,072 B/token"),
    ("deepseek-v3.2", "fp8_ds_mla_v32+index_fp8", "61 × (656 + 132) = 48,068 B/token"),
    ("glm-5.2", "bf16", "78 × (512 + 64) × 2 + 21 × 128 × 2 = 95,232 B/token"),
    (
        "deepseek-v4-flash",
        "fp8_ds_mla_v4+index_fp8",
        "21 × (584 + 132) / 4 + 20 × 584 / 128 = 3,850.25 B/token",
    ),
    (
        "deepseek-v4.1-flash",
        "nvfp4_ds_mla_v41+index_mxfp4",
        "3 × (288 + 68) / 2 + 1 × (288 + 68) = 890 B/token",
    ),
]


@pytest.mark.parametrize(("model", "key", "text"), FORMULAS)
def test_formulas_read_as_people_write_them(model: str, key: str, text: str) -> None:
    assert formula(MODELS[model], layout(key)) == text


def evaluate(text: str) -> Fraction:
    """A formula's own arithmetic, in fractions."""
    expression = text.replace("×", "*").replace(",", "")
    return Fraction(eval(re.sub(r"\d+(?:\.\d+)?", r"F('\g<0>')", expression), {"__builtins__": {}}, {"F": Fraction}))


@pytest.mark.parametrize(("model", "key"), CASES)
def test_formulas_evaluate_to_the_figures(model: str, key: str) -> None:
    found, kept = MODELS[model], layout(key)
    left, right = formula(found, kept).removesuffix(" B/token").split(" = ")
    assert evaluate(left) == evaluate(right) == growth(found, kept)


def test_window_formula() -> None:
    assert window_formula(MODELS["deepseek-v4-flash"], layout("bf16")) == "43 × 512 × 2 × 128 = 5,636,096 B"
    assert window_formula(MODELS["deepseek-v2"], layout("bf16")) == ""


def test_per_token_head_scales() -> None:
    llama, kept = MODELS["llama-3.1-8b"], CacheLayout(INT8)
    assert growth(llama, kept) == 32 * 8 * (256 + 8)
    assert formula(llama, kept) == "32 × (8 × (128 + 128) × 1 + 8 × 8) = 67,584 B/token"
    half = CacheFormat("vllm#int4_per_token_head", EVERY, None, Fraction("0.5"), extra_bytes_per_head=Fraction(8))
    assert growth(llama, CacheLayout(half)) == 32 * 8 * (128 + 8)
    with pytest.raises(FormatMismatch, match="share one row"):
        growth(MODELS["deepseek-v2"], kept)


def test_layout_keys_name_each_format_once() -> None:
    assert CacheLayout(BF16, BF16, BF16).key == "bf16"
    assert CacheLayout(FORMATS["fp8_ds_mla_v4"], FORMATS["fp8_ds_mla_v4"], FORMATS["index_fp8"]).key == (
        "fp8_ds_mla_v4+index_fp8"
    )
    other = CacheLayout(FORMATS["nvfp4_ds_mla_v41"], FORMATS["fp8_ds_mla_v4"], FORMATS["index_fp8"])
    assert other.key == "nvfp4_ds_mla_v41+fp8_ds_mla_v4+index_fp8"


def test_formats_are_not_bent_to_other_entries() -> None:
    v4, v41, v2 = MODELS["deepseek-v4-flash"], MODELS["deepseek-v4.1-flash"], MODELS["deepseek-v2"]
    nope = record("glm53_nope", frozenset({"kv"}), DSA, 528, 512)
    with pytest.raises(FormatMismatch, match="512 scalars, these have 576"):
        growth(MODELS["glm-5"], CacheLayout(nope, None, FORMATS["index_fp8"]))
    with pytest.raises(FormatMismatch, match=r"not for mla$"):
        growth(v2, layout("fp8_ds_mla_v32+index_fp8"))
    with pytest.raises(FormatMismatch, match="no format for index"):
        growth(v4, CacheLayout(FORMATS["fp8_ds_mla_v4"]))
    with pytest.raises(FormatMismatch, match="no format for window"):
        exact(v41, CacheLayout(FORMATS["nvfp4_ds_mla_v41"], None, FORMATS["index_fp8"]), 1)
    with pytest.raises(FormatMismatch, match="not index"):
        entry_bytes(v4.streams[1], CacheLayout(BF16, None, FORMATS["fp8_ds_mla_v4"]))
    with pytest.raises(FormatMismatch, match="neither"):
        growth(v2, CacheLayout(CacheFormat("x#y", EVERY)))
    narrow = record("ring_c2_main", STATE, frozenset({"csa2"}), 2048, 512, slot="ring_c2_main", rows=8)
    with pytest.raises(FormatMismatch, match="rows of 512 scalars"):
        state_bytes(v41, CacheLayout(BF16, states=(narrow,)))


def test_sharding() -> None:
    llama, v2, v4 = MODELS["llama-3.1-8b"], MODELS["deepseek-v2"], MODELS["deepseek-v4-flash"]
    bf16 = layout("bf16")
    per_rank = {tp: sharded(llama, bf16, 1, tp) for tp in (1, 2, 8, 16)}
    assert per_rank == {1: 131_072, 2: 65_536, 8: 16_384, 16: 16_384}
    assert sharded(v2, bf16, 10, 8) == exact(v2, bf16, 10)
    assert sharded(v4, bf16, 10, 8) == exact(v4, bf16, 10)
    for tp in (0, 3):
        with pytest.raises(ValueError, match=r"tensor parallel|dealt out"):
            sharded(llama, bf16, 1, tp)


@given(case=st.sampled_from(CASES), tokens=st.integers(8192, 10**7))
def test_growth_is_the_slope_over_a_full_period(case: tuple[str, str], tokens: int) -> None:
    found, kept = MODELS[case[0]], layout(case[1])
    assert exact(found, kept, tokens + 128) - exact(found, kept, tokens) == 128 * growth(found, kept)


@given(case=st.sampled_from(CASES), tokens=st.integers(0, 10**7), more=st.integers(0, 300))
def test_bytes_never_shrink(case: tuple[str, str], tokens: int, more: int) -> None:
    found, kept = MODELS[case[0]], layout(case[1])
    assert exact(found, kept, tokens) <= exact(found, kept, tokens + more)


@given(model=st.sampled_from(sorted(MODELS)), size=st.fractions(Fraction(1, 8), 8), tokens=st.integers(0, 10**6))
def test_uniform_formats_scale_as_their_bytes(model: str, size: Fraction, tokens: int) -> None:
    form = CacheFormat("test#any", EVERY, bytes_per_scalar=size)
    kept = CacheLayout(form, None, form)
    assert exact(MODELS[model], kept, tokens) * 2 == exact(MODELS[model], layout("bf16"), tokens) * size
