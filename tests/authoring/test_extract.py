"""What `servebook extract` reads out of Python code, on code written for the purpose."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import HERE

from generator.authoring.extract.class_reads import class_reads
from generator.authoring.extract.config_names import file_reads
from generator.catalog.yaml.loader import load
from generator.cli import cli

READ = {
    "an attribute": ("def f(config):\n    return config.a\n", {"a"}),
    "of an object's config": (
        "class M:\n    def f(self):\n        return self.config.a + self.text_config.b\n",
        {"a", "b"},
    ),
    "under another name": ("def f(config):\n    c = config\n    return c.a\n", {"a"}),
    "getattr": ('def f(cfg):\n    return getattr(cfg, "a", 3)\n', {"a"}),
    "hasattr": ('def f(config):\n    return hasattr(config, "a")\n', {"a"}),
    "a key": ('def f(vision_config):\n    return vision_config["a"], vision_config.get("b")\n', {"a", "b", "get"}),
    "of itself": ("class XConfig:\n    def __post_init__(self):\n        self.x = self.a\n", {"a"}),
    "from kwargs": (
        'class XConfig:\n    def f(self, **kwargs):\n        return kwargs.pop("a"), "b" in kwargs\n',
        {"a", "b"},
    ),
    "spelled in two ways": ('class XConfig:\n    attribute_map = {"a": "b"}\n', {"a", "b"}),
    "computed": ("class XConfig:\n    @property\n    def a(self):\n        return 1\n", {"a"}),
}
NOT_READ = {
    "written only": "def f(config):\n    config.a = 1\n",
    "of another object": "def f(model):\n    return model.a\n",
    "declared only": "class XConfig:\n    a: int = 3\n",
    "in a text": 'def f(config):\n    """Says a."""\n',
    "a name of another function": "def g(model):\n    c = model\n    return c.a\ndef f(config):\n    c = config\n",
}
OPEN = {
    "a name made at run time": 'def f(config, i):\n    return getattr(config, f"layer_{i}")\n',
    "all of it": "def f(config):\n    return config.to_dict()\n",
    "handed on": "def f(config):\n    return g(**config)\n",
    "its variables": "def f(config):\n    return vars(config)\n",
    "a computed key": "def f(config, name):\n    return config[name]\n",
}


@pytest.mark.parametrize("text", NOT_READ.values(), ids=NOT_READ)
def test_what_no_code_reads_is_not_read(text: str) -> None:
    assert "a" not in file_reads(text).names
    assert not file_reads(text).open


@pytest.mark.parametrize(("text", "names"), READ.values(), ids=READ)
def test_every_way_of_reading_counts(text: str, names: set[str]) -> None:
    assert file_reads(text).names == names
    assert not file_reads(text).open


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_a_name_that_only_running_code_knows_leaves_the_file_open(text: str) -> None:
    assert file_reads(text).open == [2]


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel of three models: one reads by itself, one through another, one at run time."""
    files = {
        "models/one/configuration_one.py": 'class OneConfig:\n    model_type = "one"\n    spare: int = 0\n',
        "models/one/modeling_one.py": "def f(config):\n    return config.width, config.sliding_window\n",
        "models/two/configuration_two.py": "from ..one.configuration_one import OneConfig\n"
        'class TwoConfig:\n    model_type = "two"\n',
        "models/two/modeling_two.py": "def f(config):\n    return config.depth\n",
        "models/three/configuration_three.py": 'class ThreeConfig:\n    model_type = "three"\n',
        "models/three/modeling_three.py": "def f(config, name):\n    return getattr(config, name)\n",
        "models/one/tokenization_one.py": "def f(config):\n    return config.vocabulary\n",
        "cache_utils.py": 'def f(config):\n    return getattr(config, "sliding_window", None)\n',
    }
    path = tmp_path / "transformers-9.9.9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"transformers/{name}", text)
    return path


def test_a_folder_reads_what_its_files_and_those_it_imports_from_read(wheel: Path) -> None:
    facts = class_reads(wheel)
    assert facts["every"].split() == ["sliding_window"]
    assert facts["folders"]["one"] == {"model_types": ["one"], "reads": "width\n"}
    assert facts["folders"]["two"] == {"model_types": ["two"], "reads": "depth width\n"}
    assert facts["open"] == {"three": "modeling_three.py:2"}


def test_the_command_writes_a_source_that_our_reader_takes(wheel: Path) -> None:
    done = CliRunner().invoke(cli, ["extract", "class-reads", str(wheel)])
    assert done.exit_code == 0
    record = load(done.output).data
    assert record["url"] == "pkg:pypi/transformers@9.9.9"
    assert record["facts"]["folders"]["one"]["reads"] == "width\n"


@pytest.mark.parametrize(
    ("name", "content"), [("other-1.0.whl", b""), ("transformers-9.9.9-py3-none-any.whl", b"no zip")]
)
def test_what_is_no_wheel_of_transformers_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    done = CliRunner().invoke(cli, ["extract", "class-reads", str(tmp_path / name)])
    assert done.exit_code == 2
    assert "Traceback" not in done.output


def test_nothing_of_a_package_is_imported() -> None:
    for path in (HERE.parent / "generator/authoring/extract").glob("*.py"):
        text = path.read_text("utf-8")
        assert "importlib" not in text, path.name
        assert "exec(" not in text, path.name
