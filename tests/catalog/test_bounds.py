"""What one small record may choose: sizes, chains, expressions, dates. Each is a finding, and nothing takes long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import Base

from generator.authoring import fixes
from generator.catalog import bounds
from generator.catalog.read.redirects import Redirects
from generator.catalog.yaml.loader import load
from generator.checks import judge
from generator.cli import cli
from generator.findings import Edit, Fix, Location
from generator.site.pages import Site, build_site

MODEL = "records/models/tiny-a.yaml"
CONFIG = "sources/tiny-a-config.yaml"
CONCEPT = """\
# yaml-language-server: $schema=../../schema/concept.schema.json
name: An idea
definition: |
  It grows by {}.
cites: ["[[tiny-a-config]]"]
"""


@pytest.mark.parametrize(
    "inner",
    [
        *("9e307*9e307", "1e-307*1e-307*1e-307*1e-307", "9e307*9e307*9e307", "1e-307", "10*9e40", "1/3/9e307"),
        *("kv.growth('bf16')*9e307", "2**99999", "9" * 190, "1e-300 | round(2)", "model('tiny-a').kv.naive/9e300"),
    ],
)
def test_a_number_of_absurd_size_is_one_finding(tiny: Base, inner: str) -> None:
    found = tiny.lay({"records/concepts/wrong.yaml": CONCEPT.format("{{ " + inner + " }}")}).findings()
    assert [each.code for each in found] == ["NUM409"]


@pytest.mark.parametrize(
    "inner", ["2 + 2", "3 / 7", "1e-6 * 1000", "9e30 * 9", "model('tiny-a').kv.growth('bf16') * 1000000"]
)
def test_a_number_of_any_use_has_its_value(tiny: Base, inner: str) -> None:
    assert tiny.lay({"records/concepts/wrong.yaml": CONCEPT.format("{{ " + inner + " }}")}).findings() == []


LARGE = {
    "a text": ("notes", '"' + "a " * 10_001 + '"', "a text of 20,002 characters"),
    "a list": ("aliases", "[" + ", ".join(["a"] * 5_001) + "]", "a list of 5,001 entries"),
    "a mapping": ("claims", "{" + ", ".join(f"k{n}: 1" for n in range(5_001)) + "}", "a mapping of 5,001 entries"),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_too_large_is_one_finding_at_its_place(tiny: Base, name: str) -> None:
    field, value, said = LARGE[name]
    text = (tiny.root / MODEL).read_text("utf-8").partition("notes:")[0]
    (found,) = tiny.lay({MODEL: f"{text}{field}: {value}\n"}).findings("SCH101")
    assert said in found.message
    assert field in found.message
    assert found.location.line == text.count("\n") + 1


def test_what_is_on_record_is_far_from_it(real_root: Path) -> None:
    for path in [*real_root.glob("records/*/*.yaml"), *real_root.glob("sources/*.yaml")]:
        if path.stat().st_size > bounds.MOST_CHARACTERS:
            assert list(bounds.too_large(load(path.read_text("utf-8")).data)) == []


def test_the_last_day_of_all_is_a_day(tiny: Base) -> None:
    text = (tiny.root / CONFIG).read_text("utf-8")
    day = next(line for line in text.splitlines() if line.startswith("retrieved:"))
    assert "INT901" not in [each.code for each in tiny.edit(CONFIG, day, "retrieved: 9999-12-31").findings()]


def test_each_redirect_is_walked_once() -> None:
    lines = [f"a{number}: a{number + 1}" for number in range(3_000)]
    steps = 0

    class Table(dict):  # type: ignore[type-arg]
        def __contains__(self, key: object) -> bool:
            nonlocal steps
            steps += 1
            return super().__contains__(key)

    document = load("\n".join([*lines, "a3000: tiny-a"]))
    known = Table({"tiny-a": None})
    redirects = Redirects(known, ())  # type: ignore[arg-type]
    redirects.follow(document)
    assert redirects.targets["a0"] == "tiny-a"
    assert len(redirects.targets) == 3_001
    assert steps < 5 * 3_001


def test_a_key_that_stands_twice_among_many_is_found_at_once(tmp_path: Path) -> None:
    keys = [f'"k{number}": 1' for number in range(20_000)]
    (tmp_path / "config.json").write_text("{" + ", ".join([*keys, '"k19999": 2']) + "}")
    done = CliRunner().invoke(cli, ["kv", "--config", str(tmp_path / "config.json")])
    assert done.exit_code == 2
    assert "k19999" in done.output


def test_two_thousand_fixes_are_read_a_few_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yaml").write_text("\n".join(f"k{number}: v" for number in range(2_000)))
    edits = [Edit(Location("a.yaml", number + 1, 1, number + 1, 2), "q") for number in range(2_000)]
    many = [Fix("a letter", (edit,)) for edit in edits]
    bad = Fix("a tear", (Edit(Location("a.yaml", 7, 3, 7, 5), "["),))
    read: list[int] = []
    real = fixes.load
    monkeypatch.setattr(fixes, "load", lambda text: read.append(1) or real(text))
    assert len(fixes._harmless(tmp_path, many)) == 2_000
    assert len(read) == 1
    chosen = fixes._harmless(tmp_path, [bad, *many])
    assert bad not in chosen
    assert len(chosen) == 2_000
    assert len(read) < 40
    touching = Fix("beside it", (Edit(Location("a.yaml", 1, 2, 1, 3), "q"),))
    assert touching not in fixes._harmless(tmp_path, [*many, touching])


def test_a_list_of_four_megabytes_is_told(tiny: Base) -> None:
    text = (tiny.root / MODEL).read_text("utf-8").partition("notes:")[0]
    tiny.lay({MODEL: text + "aliases: [" + json.dumps(["a"] * 500_000)[1:] + "\n"})
    assert [each.code for each in tiny.findings("SCH101", "YML001")] == ["SCH101"]


TYPES = {
    "a class that is a number, in a source": (CONFIG, "architectures: [TinyMlaForCausalLM]", "architectures: 1e+300"),
    "a type that is a mapping, in a source": (CONFIG, "model_type: tiny_mla", "model_type: {a: 1}"),
    "a class that is a number, in a model": (MODEL, "architectures: [TinyMlaForCausalLM]", "architectures: 1e+300"),
    "a type that is a mapping, in a model": (MODEL, "model_type: tiny_mla", "model_type: {a: 1}"),
    "a subject that is none": (CONFIG, "subjects: [hf:TinyWorks/Tiny-A]", "subjects: true"),
    "a subject that is a number": (CONFIG, "subjects: [hf:TinyWorks/Tiny-A]", "subjects: -1"),
    "a number that is a text": (MODEL, "num_hidden_layers: 4", "num_hidden_layers: sixty"),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_value_of_another_type_is_told_at_the_value_and_nothing_fails(tiny: Base, name: str) -> None:
    file, old, new = TYPES[name]
    tiny.edit(file, old, new)
    line = next(
        number for number, text in enumerate((tiny.root / file).read_text("utf-8").splitlines(), 1) if new in text
    )
    kb = tiny.read()
    (found,) = [each for each in judge(kb).findings if each.code == "SCH101"]
    assert (found.location.path, found.location.line) == (file, line)
    assert "INT901" not in [each.code for each in judge(kb).findings]
    site = Site(kb, judge(kb).findings)
    assert list(build_site(site))
    assert site.failures == []


@pytest.mark.parametrize("value", ["true", "-1", "{a: 1}", "[{a: 1}, [b], 5]"])
def test_what_may_not_stand_somewhere_is_told_and_is_not_there(tiny: Base, value: str) -> None:
    """Checks and pages never meet it, whatever it is; what stands beside it is as it was written."""
    text = (tiny.root / MODEL).read_text("utf-8").partition("notes:")[0]
    (tiny.root / MODEL).write_text(f"{text}aliases: {value}\nnotes: See [[tiny-latent]].\n")
    kb = tiny.read()
    record = kb.catalog.records["tiny-a"]
    assert not record.get("aliases")
    assert record.get("notes") == "See [[tiny-latent]]."
    assert record.at("notes").line == text.count("\n") + 2
    assert "tiny-a" in kb.catalog.unsound
    assert {each.code for each in judge(kb).findings} == {"SCH101"}


def test_of_a_list_the_rest_stays_with_its_places(tiny: Base) -> None:
    text = (tiny.root / MODEL).read_text("utf-8").partition("notes:")[0]
    (tiny.root / MODEL).write_text(f"{text}aliases:\n  - one\n  - [two]\n  - three\n")
    record = tiny.read().catalog.records["tiny-a"]
    assert record.get("aliases") == ["one", "three"]
    assert record.at("aliases", 1).line == text.count("\n") + 4
