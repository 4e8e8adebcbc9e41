"""What `new` writes is what its config says: each value reads back as itself, or is refused with its place."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import TINY, TODAY, Base
from hypothesis import example, given
from hypothesis import strategies as st

from generator.authoring import new
from generator.authoring.skeletons import CannotBegin
from generator.authoring.yaml_writer import CannotBeWritten, as_yaml
from generator.catalog.read import read
from generator.catalog.records import Catalog
from generator.catalog.yaml.loader import load
from generator.cli.config_file import config_at

MODEL, SOURCE = "records/models/odd.yaml", "sources/hf-config-odd.yaml"
ODD_TEXTS = [
    *(
        "",
        " ",
        "  x",
        "x ",
        "a\nb",
        "a\nb\n",
        "\na",
        "a\n\n",
        "\n",
        "\n\n",
        " a\nb\n",
        "a\n b\n",
        "a \nb\n",
        "\ta\nb\n",
    ),
    *(
        "a\r\nb",
        "a\rb",
        "a\u2028b",
        "a\u2029b\n",
        "a\x85b",
        "a\x0bb",
        "a\x0cb\n",
        "\ufeffa",
        "a\x00b",
        "a\x7fb",
        "\x1b[31m",
    ),
    *(
        "yes",
        "NO",
        "on",
        "~",
        "null",
        "true",
        "1",
        "1.10",
        "1e3",
        "0x10",
        "0123",
        "12:30:00",
        "2026-11-29",
        ".inf",
        ".nan",
    ),
    *(
        "Infinity",
        "-Infinity",
        "NaN",
        "1_000",
        "[[id]]",
        "- a",
        "a: b",
        "a #b",
        "#a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
    ),
    *(
        "`a`",
        "'a'",
        '"a"',
        '"',
        "\\",
        "a\\nb",
        "{{ x }}",
        "{a: b}",
        "[a]",
        "?",
        "? a",
        "a,",
        ": a",
        "---",
        "--- a",
        "...",
    ),
    *("é", "日本語", "😀", "e\u0301", "\u202ea", "<|endoftext|>", "x" * 300, "word " * 60, ("line\n" * 3) + "end"),
    *("{% for m in messages %}\n{{ m }}\n{% endfor %}", "{{ m }}\n  indented\n\n\nlast\n", "a\n...\nb\n", "a\n# b\n"),
]
ODD_VALUES = [
    None,
    True,
    False,
    0,
    -7,
    10**39,
    0.0,
    1.0,
    -0.0,
    1e-06,
    1e22,
    5e-324,
    1.7976931348623157e308,
    0.1,
    [],
    {},
    [[]],
]


@pytest.mark.parametrize("value", [*ODD_TEXTS, *ODD_VALUES], ids=repr)
def test_an_odd_value_reads_back_as_itself(value: Any) -> None:
    for record in ({"a": value}, {"a": [value]}, {"a": {"b": [{"c": value}, value]}}):
        read_back = load(as_yaml(record)).data
        assert json.dumps(read_back) == json.dumps(record), as_yaml(record)
        assert repr(read_back) == repr(record)


@pytest.mark.parametrize("key", [*ODD_TEXTS[:1], *ODD_TEXTS[20:], "<<", "a b", "a.b", "-"], ids=repr)
def test_an_odd_key_reads_back_as_itself(key: str) -> None:
    assert load(as_yaml({"facts": {key: 1, "other": 2}})).data == {"facts": {key: 1, "other": 2}}


REFUSED = {
    "infinite": ({"a": {"b": [0.0, float("inf")]}}, "a.b"),
    "not a number": ({"a": float("nan")}, "a"),
    "an integer that would lose digits": ({"a": [10**60]}, "a[0]"),
    "half a character": ({"a": "\ud800"}, "`a`"),
    "half a character in a key": ({"a": {"\udfff": 1}}, "`a.\udfff`"),
}


@pytest.mark.parametrize(("record", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_written_is_refused_with_its_place(record: dict[str, Any], said: str) -> None:
    with pytest.raises(CannotBeWritten) as refused:
        as_yaml(record)
    assert said in str(refused.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.sampled_from(ODD_TEXTS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    """A base that all examples are begun in, one after the other."""
    return Base(Path(shutil.copytree(TINY, tmp_path_factory.mktemp("odd") / "tiny")))


@pytest.fixture(scope="module")
def catalog(base: Base) -> Catalog:
    return read(base.root)


@given(config=st.dictionaries(st.text(max_size=12) | st.sampled_from(["num_hidden_layers", "model_type"]), JSON))
@example(config={"time_step_limit": [0.0, float("inf")]})
@example(config={"model_type": {"a": []}, "architectures": 1e300})
@example(config={"a": 10**60})
def test_any_config_becomes_its_source_or_is_refused(base: Base, catalog: Catalog, config: Any) -> None:
    model, source, path = (base.root / name for name in (MODEL, SOURCE, "config.json"))
    path.write_text(json.dumps(config), "utf-8")
    model.unlink(missing_ok=True)
    source.unlink(missing_ok=True)
    given_config, said = config_at(path, {}), ""
    try:
        new.write(base.root, catalog, "model", "odd", {"config": given_config}, TODAY)
    except CannotBegin as refused:
        said = str(refused)
    if said:
        assert "would not read back" in said
        assert not model.exists()
        assert not source.exists()
    else:
        assert repr(plain(load(source.read_text("utf-8")).data["facts"])) == repr(given_config)


def plain(value: Any) -> Any:
    """A value as JSON gives it."""
    return json.loads(json.dumps(value))


def test_a_real_config_with_infinity_keeps_it_as_the_records_do(tiny: Base) -> None:
    """nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4 says `"time_step_limit": [0.0, Infinity]`, which is no JSON."""
    path = tiny.root / "config.json"
    path.write_text('{"model_type": "nemotron_h", "time_step_limit": [0.0, Infinity], "layer_norm_epsilon": 1e-05}')
    new.write(tiny.root, read(tiny.root), "model", "nemotron", {"config": config_at(path, {})}, TODAY)
    text = (tiny.root / "sources/hf-config-nemotron.yaml").read_text("utf-8")
    assert "time_step_limit: [0.0, Infinity]" in text
    assert load(text).data["facts"]["time_step_limit"] == [0.0, "Infinity"]
