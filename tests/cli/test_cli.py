"""The real command in a process of its own: output, exit status, and what it does when things go wrong."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from command import run as run_in_process
from conftest import ROOT, Base

from generator import __version__
from generator.checks import CHECKS
from generator.cli import cli

COMMAND = [sys.executable, "-m", "generator"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"}
MODEL = "records/models/tiny-a.yaml"
WRONG = (MODEL, 'config: "[[tiny-a-config]]"', 'config: "[[tiny-b-config]]"')
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 128256,
}


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command with some arguments, as a shell in a folder would run it."""
    done = run_in_process(*arguments, cwd=cwd, environment={**ENVIRONMENT, **environment})
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return done


def answer(*arguments: str, cwd: Path, status: int = 0) -> Any:
    """What a command says in JSON."""
    done = run(*arguments, "--format", "json", cwd=cwd)
    assert done.returncode == status, done.stderr
    assert done.stderr == ""
    payload = json.loads(done.stdout)
    assert payload["schema_version"] == 1
    assert next(iter(payload)) == "schema_version"
    return payload


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One clear line on stderr, nothing on stdout, status 2."""
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("servebook: ")
    for word in words:
        assert word in done.stderr


# --- the command itself ---------------------------------------------------------------------------------------------


def test_version_and_help(tmp_path: Path) -> None:
    assert run("--version", cwd=tmp_path).stdout == f"servebook, version {__version__}\n"
    text = run("--help", cwd=tmp_path).stdout
    for command in ("validate", "fix", "explain", "kv", "why", "show", "graph", "new", "materialise", "build", "serve"):
        assert re.search(rf"^  {command} ", text, re.M)
        described = CliRunner().invoke(cli, [command, "--help"])
        assert (described.exit_code, described.stderr) == (0, "")
        assert described.stdout.startswith("Usage: ")


USAGE = {
    "an unknown command": ["valdate"],
    "an unknown option": ["validate", "--strickt"],
    "a format that is none": ["kv", "x", "--format", "xml"],
    "a lacking argument": ["show"],
    "a context of nothing": ["kv", "x", "--context", "0"],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_a_slip_in_the_call_is_status_2(tiny: Base, arguments: list[str]) -> None:
    done = run(*arguments, cwd=tiny.root)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


# --- validate -------------------------------------------------------------------------------------------------------

FINDING_KEYS = [
    *("code", "name", "severity", "record", "path", "line", "column", "end_line", "end_column"),
    *("message", "related", "fix", "data"),
]


def test_a_clean_base_is_status_0(tiny: Base) -> None:
    done = run("validate", "--strict", cwd=tiny.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^checked [1-9][0-9,]*, skipped 0, not checkable \d+$", done.stdout, re.M)
    assert done.stdout.endswith("0 errors, 0 warnings, 0 infos: ok\n")
    assert "read 1 concept, 1 engine, 1 gotcha, 1 gpu, 1 kernel, 2 models, 6 sources" in done.stdout


def test_an_error_is_status_1_with_its_place_first(tiny: Base) -> None:
    done = run("validate", cwd=tiny.edit(*WRONG).root)
    assert done.returncode == 1
    assert done.stdout.startswith(f"{MODEL}:7:10 WIR201 this record is hf:TinyWorks/Tiny-A")
    assert "    fix: cite tiny-a-config" in done.stdout
    assert done.stdout.endswith("1 error, 0 warnings, 0 infos: FAILED\n")


def test_validate_as_json_has_the_keys_that_others_build_on(tiny: Base) -> None:
    payload = answer("validate", cwd=tiny.edit(*WRONG).root, status=1)
    assert list(payload) == ["schema_version", "ok", "findings", "summary"]
    assert payload["ok"] is False
    (it,) = payload["findings"]
    assert list(it) == FINDING_KEYS
    assert [it[key] for key in ("code", "name", "severity", "record")] == [
        *("WIR201", "miswired-source", "error", "tiny-a")
    ]
    assert [it[key] for key in ("path", "line", "column", "end_line", "end_column")] == [MODEL, 7, 10, 7, 27]
    assert list(it["related"][0]) == ["path", "line", "column", "message"]
    assert list(it["fix"]) == ["title", "safe", "edits"]
    (edit,) = it["fix"]["edits"]
    assert edit == {
        **{"path": MODEL, "line": 7, "column": 10, "end_line": 7, "end_column": 27},
        "text": "[[tiny-a-config]]",
    }
    assert {"cited", "expected_subject", "suggested", "discriminating", "shared", "elsewhere", "derived_effect"} <= set(
        it["data"]
    )
    assert it["data"]["discriminating"] == {"num_hidden_layers": [4, 5]}
    assert it["data"]["derived_effect"] == {"kv_growth_bf16": [320, 400]}
    summary = payload["summary"]
    assert {"records", "checked", "skipped", "not_checkable", "errors", "warnings", "seconds"} <= set(summary)
    assert (summary["records"]["model"], summary["records"]["source"], summary["errors"]) == (2, 6, 1)
    assert all(isinstance(summary[key], int) for key in ("checked", "skipped", "not_checkable", "errors", "warnings"))
    assert isinstance(summary["seconds"], float)


def test_warnings_fail_under_strict_only(tiny: Base) -> None:
    tiny.edit("records/concepts/tiny-latent.yaml", "families: [mla]", "families: [mla]\naliases: [NO]")
    assert run("validate", cwd=tiny.root).returncode == 0
    assert run("validate", "--strict", cwd=tiny.root).returncode == 1
    assert answer("validate", cwd=tiny.root)["ok"] is True
    assert answer("validate", "--strict", cwd=tiny.root, status=1)["ok"] is False


def test_infos_are_counted_and_listed_on_demand(tiny: Base) -> None:
    tiny.edit("sources/tiny-datasheet.yaml", "retrieval: read-not-hashed", "retrieval: excerpt")
    done = run("validate", "--strict", cwd=tiny.root)
    assert (done.returncode, "CIT108 [info]" in done.stdout) == (0, False)
    assert "1 info: ok" in done.stdout
    assert "CIT108 [info]" in run("validate", "--info", cwd=tiny.root).stdout
    assert [each["code"] for each in answer("validate", cwd=tiny.root)["findings"]] == ["CIT108"]


def test_paths_limit_what_is_reported_and_not_what_is_checked(tiny: Base) -> None:
    tiny.edit(*WRONG).edit("records/gotchas/tiny-crash.yaml", "effect: blocked", "effect: x")
    everything = answer("validate", cwd=tiny.root, status=1)
    assert [each["code"] for each in everything["findings"]] == ["SCH101", "WIR201"]
    for path, codes in (
        (MODEL, ["WIR201"]),
        ("records/models", ["WIR201"]),
        ("records/gpus", []),
        (".", ["SCH101", "WIR201"]),
    ):
        part = answer("validate", path, cwd=tiny.root, status=1)
        assert [each["code"] for each in part["findings"]] == codes
        assert part["summary"]["checked"] == everything["summary"]["checked"]
    assert "1 outside the paths given" in run("validate", MODEL, cwd=tiny.root).stdout
    refused(run("validate", "records/models/nothing.yaml", cwd=tiny.root), "no such file")
    refused(run("validate", "/etc", cwd=tiny.root), "is not in the knowledge base")


def test_paths_are_relative_to_where_one_stands(tiny: Base) -> None:
    tiny.edit(*WRONG)
    inside = run("validate", cwd=tiny.root / "records" / "models")
    assert inside.stdout.startswith(f"../../{MODEL}:7:10 ")
    assert (tiny.root / "records/models" / inside.stdout.split(":")[0]).resolve() == tiny.root / MODEL
    outside = run("--root", str(tiny.root), "validate", cwd=tiny.root.parent)
    assert outside.stdout.startswith(f"tiny/{MODEL}:7:10 ")
    filtered = run("validate", "tiny-a.yaml", cwd=tiny.root / "records" / "models")
    assert filtered.stdout.startswith(f"../../{MODEL}:7:10 ")


def test_an_unreadable_file_is_one_finding(tiny: Base) -> None:
    tiny.lay({MODEL: b"\xff\xfe\x00"})
    done = run("validate", cwd=tiny.root)
    assert done.returncode == 1
    assert done.stdout.startswith(f"{MODEL}:1:1 YML001 the file is UTF-16")


# --- where there is nothing to check ----------------------------------------------------------------------------------


def test_a_folder_that_is_no_knowledge_base(tmp_path: Path) -> None:
    for command in (["validate"], ["show", "x"], ["graph", "x"], ["kv", "x"], ["new", "concept", "x"], ["build"]):
        refused(run(*command, cwd=tmp_path), "no knowledge base at or above", "--root")
    refused(run("--root", "nowhere", "validate", cwd=tmp_path), "no such folder")
    refused(run("--root", ".", "validate", cwd=tmp_path), "no folder records/")
    (tmp_path / "records").mkdir()
    refused(run("--root", ".", "validate", cwd=tmp_path), "no folder sources/")
    (tmp_path / "sources").mkdir()
    refused(run("validate", cwd=tmp_path), "nothing to check")


def test_a_schema_that_cannot_be_read_is_a_finding_and_one_line(tiny: Base) -> None:
    done = run("validate", cwd=tiny.lay({"schema/kinds.yaml": "a: [\n"}).root)
    assert done.returncode == 2
    assert done.stdout.startswith("schema/kinds.yaml:2:1 YML001 ")
    assert done.stderr.splitlines() == ["servebook: schema/ is broken, so nothing else was read"]


# --- the terminal ---------------------------------------------------------------------------------------------------


def in_a_terminal(arguments: Sequence[str], cwd: Path, **environment: str) -> str:
    """What the command writes to a terminal."""
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=cwd,
        env={**ENVIRONMENT, "TERM": "xterm", **environment},
        stdout=secondary,
        stderr=secondary,
    )
    os.close(secondary)
    written = b""
    while True:
        try:
            part = os.read(primary, 65536)
        except OSError:
            break
        if not part:
            break
        written += part
    os.close(primary)
    process.wait(timeout=600)
    return written.decode("utf-8")


def test_colour_is_for_terminals_that_want_it(tiny: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(ENVIRONMENT, "NO_COLOR", raising=False)
    tiny.edit(*WRONG)
    assert "\x1b" not in run("validate", cwd=tiny.root).stdout
    assert "\x1b[31mWIR201\x1b[0m" in in_a_terminal(["validate"], tiny.root)
    assert "\x1b" not in in_a_terminal(["validate"], tiny.root, NO_COLOR="1")
    assert "\x1b" not in in_a_terminal(["validate"], tiny.root, TERM="dumb")


def test_a_pipe_that_is_closed_early_is_no_error(tiny: Base) -> None:
    prose = json.dumps("See [[nobody]] in vain. " * 750)
    head = "# yaml-language-server: $schema=../../schema/concept.schema.json\nname: Vain\n"
    for number in range(4):
        tiny.lay({f"records/concepts/vain-{number}.yaml": f"{head}definition: {prose}\n"})
    assert len(run("validate", cwd=tiny.root).stdout) > 200_000, "more than a pipe holds"
    with subprocess.Popen(
        [*COMMAND, "validate"], cwd=tiny.root, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=600) in (0, 1)


def test_an_interrupt_is_one_line_and_status_130(tiny: Base) -> None:
    source = (tiny.root / "sources/tiny-a-config.yaml").read_text("utf-8")
    tiny.lay({f"sources/copy-{number}.yaml": source for number in range(3_000)})
    process = subprocess.Popen(
        [*COMMAND, "validate"],
        cwd=tiny.root,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Whoever runs these tests in the background may have the signal ignored, and a process hands that down.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not _is_at_work(process.pid):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert out == ""
    assert re.fullmatch(r"servebook: interrupted; [^\n]+", err.strip())


def _is_at_work(pid: int) -> bool:
    """Whether a process has computed for a while: its imports are done, and it reads records."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > 0.8


# --- explain --------------------------------------------------------------------------------------------------------


def test_explain(tmp_path: Path) -> None:
    for name in ("WIR201", "wir201", "miswired-source"):
        done = run("explain", name, cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout.startswith("WIR201 miswired-source (error)\n\nA record cites a document")
        assert "How to fix" in done.stdout
        assert done.stdout.endswith("The check is written in generator/checks/wiring/miswired_source.py.\n")
    listed = run("explain", cwd=tmp_path).stdout
    assert [line.split()[0] for line in listed.splitlines()] == [check.code for check in CHECKS]
    assert answer("explain", "CIT101", cwd=tmp_path)["name"] == "unresolved-citation"
    assert len(answer("explain", cwd=tmp_path)["checks"]) == len(CHECKS)
    refused(run("explain", "WIR999", cwd=tmp_path), "no check has the code WIR999", "explain` lists all")
    refused(run("explain", "WIR021", cwd=tmp_path), "did you mean")


# --- kv -------------------------------------------------------------------------------------------------------------

KV_KEYS = [
    *("id", "derivable", "reason", "family", "kernel_classes", "layers", "growth_bytes_per_token", "bytes"),
    *("state_bytes", "naive_gqa_bytes_per_token", "materialised_bytes_per_token", "formula", "streams"),
]


def test_kv_of_a_record(tiny: Base) -> None:
    payload = answer("kv", "tiny-a", "--context", "10", "--context", "1000", cwd=tiny.root)
    assert set(KV_KEYS) <= set(payload)
    assert [payload[key] for key in ("id", "derivable", "reason", "family")] == ["tiny-a", True, None, "mla"]
    assert payload["layers"] == {"full_attention": 4}
    assert payload["growth_bytes_per_token"] == {"bf16": 320, "fp8_latent": 176}
    assert payload["bytes"] == {
        "10": {"bf16": 3200, "fp8_latent": 1760},
        "1000": {"bf16": 320_000, "fp8_latent": 176_000},
    }
    assert payload["naive_gqa_bytes_per_token"] == 4096
    assert payload["materialised_bytes_per_token"] == 1280
    text = run("kv", "tiny-a", cwd=tiny.root).stdout
    assert "= 4 × (32 + 8) × 2" in text


def test_kv_of_batches_and_of_one_layout(tiny: Base) -> None:
    one = answer("kv", "tiny-a", "--context", "10", "--cache", "fp8_latent", "--batch", "3", cwd=tiny.root)
    assert one["bytes"] == {"10": {"fp8_latent": 3 * 1760}}
    refused(run("kv", "tiny-a", "--cache", "fp9", cwd=tiny.root), "no layout fp9", "fp8_latent")


def test_kv_where_nothing_is_derivable(tiny: Base) -> None:
    tiny.edit(MODEL, "v_head_dim: 16", "v_head_dim: 16\n  cache_of_a_new_kind: 3")
    payload = answer("kv", "tiny-a", cwd=tiny.root, status=1)
    assert payload["derivable"] is False
    assert "cache_of_a_new_kind" in payload["reason"]
    assert not {"growth_bytes_per_token", "bytes", "naive_gqa_bytes_per_token"} & {
        key for key, value in payload.items() if value
    }, "never a fallback figure"
    done = run("kv", "tiny-a", cwd=tiny.root)
    assert done.returncode == 1
    assert "not derivable" in done.stdout


def test_kv_of_what_is_not_there(tiny: Base) -> None:
    refused(run("kv", "tiny-z", cwd=tiny.root), "no record has the id `tiny-z`", "did you mean")
    refused(run("kv", "tiny-engine", cwd=tiny.root), "`tiny-engine` is of the kind engine, but a model is expected")
    assert run("kv", "TINY-A", cwd=tiny.root).stdout.startswith("tiny-a:")
    refused(run("show", "crash", cwd=tiny.root), "did you mean tiny-crash")  # a word of the id, too far for spelling
    refused(run("kv", cwd=tiny.root), "--config")
    refused(run("kv", "tiny-a", "--config", "x.json", cwd=tiny.root), "--config")
    tiny.edit(MODEL, "vendor: Tiny Works\n", "")
    refused(run("kv", "tiny-a", cwd=tiny.root), "breaks its schema")


def test_kv_of_any_config_inside_and_outside_of_a_base(tiny: Base, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    outside = answer("kv", "--config", "config.json", "--context", "1000", cwd=tmp_path)
    assert outside["growth_bytes_per_token"]["bf16"] == 131_072
    assert outside["bytes"]["1000"]["bf16"] == 131_072_000
    assert any("outside a knowledge base" in note for note in outside["notes"])
    inside = answer("kv", "--config", "../config.json", cwd=tiny.root)
    assert inside["growth_bytes_per_token"]["bf16"] == 131_072
    assert not any("outside a knowledge base" in note for note in inside["notes"])
    named = run("--root", str(tiny.root), "kv", "--config", "config.json", cwd=tmp_path)
    assert named.returncode == 0


def test_an_encoder_has_no_table_of_zeros(tmp_path: Path) -> None:
    config = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 768, "num_attention_heads": 12}
    (tmp_path / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 12}), encoding="utf-8")
    said = run("kv", "--config", "config.json", cwd=tmp_path).stdout.splitlines()
    assert said[0] == "config.json: encoder_only, no cache entries"
    assert not any("bf16" in line for line in said)


def test_a_key_that_nobody_knows_is_named_and_may_be_vouched_for(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**CONFIG, "model_type": "unheard_of", "cache_of_a_new_kind": 3}))
    payload = answer("kv", "--config", "config.json", cwd=tmp_path, status=1)
    assert payload["fields"] == ["cache_of_a_new_kind"]
    assert payload["derivable"] is False
    assert "growth_bytes_per_token" not in payload
    condition = payload["conditional"]
    assert (condition["proved"], condition["if_neutral"]) == (False, ["cache_of_a_new_kind"])
    assert condition["growth_bytes_per_token"] == {"bf16": 131_072}
    vouched = answer("kv", "--config", "config.json", "--assume-neutral", "cache_of_a_new_kind", cwd=tmp_path)
    assert vouched["growth_bytes_per_token"]["bf16"] == 131_072
    assert any("cache_of_a_new_kind" in note for note in vouched["notes"])


BAD_CONFIGS = {
    "not JSON": ("{", "is not JSON"),
    "nothing": ("", "is not JSON"),
    "a list": ("[]", "holds no config"),
    "a number": ("5", "holds no config"),
    "null": ("null", "holds no config"),
    "deep nesting": ("[" * 100_000, "config"),
    "not text": (b"\xff\xfe", "is no"),
}


@pytest.mark.parametrize(("content", "said"), BAD_CONFIGS.values(), ids=BAD_CONFIGS)
def test_a_config_that_is_none(tmp_path: Path, content: str | bytes, said: str) -> None:
    (tmp_path / "config.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(run("kv", "--config", "config.json", cwd=tmp_path), "config.json", said)


def test_a_config_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    refused(run("kv", "--config", "nothing.json", cwd=tmp_path), "nothing.json", "No such file")
    refused(run("kv", "--config", ".", cwd=tmp_path), "Is a directory")


# --- show and graph ---------------------------------------------------------------------------------------------------


def test_show_and_graph(tiny: Base) -> None:
    shown = answer("show", "tiny-a", cwd=tiny.root)
    assert [shown[key] for key in ("id", "kind", "path")] == ["tiny-a", "model", MODEL]
    assert shown["data"]["architecture"]["kv_lora_rank"] == 32
    assert shown["facts"]["growth_bytes_per_token"]["bf16"] == 320
    assert (shown["cited_by"], shown["cites"]) == (["tiny-b", "tiny-latent"], ["tiny-a-config", "tiny-latent"])
    graph = answer("graph", "tiny-a-config", cwd=tiny.root)
    assert {each["id"] for each in graph["cited_by"]} == {"tiny-a", "tiny-latent"}
    assert [each["field"] for each in graph["cited_by"] if each["id"] == "tiny-a"] == ["config"]
    assert {each["record"] for each in graph["falls"]} == {"tiny-a", "tiny-latent"}
    assert "Tiny A" in run("show", "tiny-a", cwd=tiny.root).stdout
    assert "falls if it falls" in run("graph", "tiny-a-config", cwd=tiny.root).stdout
    for command in ("show", "graph"):
        refused(run(command, "tiny-latnet", cwd=tiny.root), "did you mean tiny-latent")


def test_every_record_of_the_tiny_base_can_be_shown(tiny: Base) -> None:
    tiny.lay({"records/redirects.yaml": "row: tiny-latent\n"})
    assert run("show", "row", cwd=tiny.root).stdout.startswith("Latent rows")
    for path in sorted((tiny.root / "records").rglob("*.yaml")):
        if path.name != "redirects.yaml":
            shown = CliRunner().invoke(cli, ["--root", str(tiny.root), "show", path.stem])
            assert (shown.exit_code, shown.stderr) == (0, "")


# --- new ------------------------------------------------------------------------------------------------------------


def test_a_new_model_from_its_config_is_a_record_that_can_be_read(tiny: Base) -> None:
    (tiny.root / "config.json").write_text(json.dumps(CONFIG))
    done = run("new", "model", "meta-x", "--config", "config.json", "--repo", "meta/X", cwd=tiny.root)
    assert done.returncode == 0, done.stderr
    written = re.findall(r"^wrote (\S+)$", done.stdout, re.M)
    assert any(name.endswith("records/models/meta-x.yaml") for name in written)
    assert {each.code for each in tiny.findings() if each.code.startswith(("YML", "SCH"))} == {"SCH103"}, "what is left"
    kb = tiny.read()
    assert kb.catalog.records["meta-x"].get("repo") == "meta/X"
    assert kb.catalog.records["meta-x"].get("architecture", "num_hidden_layers") == 32
    refused(run("new", "model", "meta-x", cwd=tiny.root), "meta-x")


@pytest.mark.parametrize("kind", ["concept", "engine", "kernel", "gpu", "gotcha", "model", "source"])
def test_a_new_record_of_any_kind_keeps_to_its_schema(tiny: Base, kind: str) -> None:
    extra = ["--url", "https://example.org/x"] if kind == "source" else []
    done = CliRunner().invoke(cli, ["--root", str(tiny.root), "new", kind, "something-new", *extra])
    assert done.exit_code == 0, done.stderr
    (path,) = tiny.root.rglob("something-new.yaml")
    assert path.read_text("utf-8").startswith("# yaml-language-server: $schema=")
    broken = [each for each in tiny.findings() if each.code.startswith("YML")]
    assert broken == []


NEW = {
    "an id in capitals": ["model", "Tiny-Z"],
    "an id that is taken": ["model", "tiny-a"],
    "an id that another kind has": ["concept", "tiny-a"],
    "an unknown kind": ["modle", "x"],
    "a way out": ["model", "../../x"],
}


@pytest.mark.parametrize("arguments", NEW.values(), ids=NEW)
def test_a_new_record_that_cannot_be(tiny: Base, arguments: list[str]) -> None:
    before = sorted(tiny.root.rglob("*"))
    refused(run("new", *arguments, cwd=tiny.root))
    assert sorted(tiny.root.rglob("*")) == before
