"""What surrounds a run: links, pipes and devices, lacking rights, full disks, odd arguments, a port that is taken."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Base
from test_cli import COMMAND, ENVIRONMENT, refused, run

from generator.catalog.read import NoKnowledgeBase, read

MODELS = "records/models"


def run_without_rights(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command as somebody to whom the modes of files apply; to root they do not unless it gives that up."""
    lesser = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    if lesser and not shutil.which(lesser[0]):
        pytest.skip("root cannot give up its rights here: there is no setpriv")
    done = subprocess.run(
        [*lesser, *COMMAND, *arguments],
        cwd=cwd,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return done


# --- links, pipes and devices ---------------------------------------------------------------------------------------


def link(path: Path) -> None:
    path.symlink_to("/proc/self/environ")


def link_to_a_folder(path: Path) -> None:
    path.symlink_to("/")


BARRED: dict[str, tuple[str, Callable[[Path], None]]] = {
    "a page that is a link": ("docs/leak.md", link),
    "a picture that is a link": ("docs/leak.png", link),
    "a folder of pages that is a link": ("docs/all", link_to_a_folder),
    "a hidden folder that is a link": ("docs/.all", link_to_a_folder),
    "a page that is a pipe": ("docs/pipe.md", os.mkfifo),
    "a record that is a link": (f"{MODELS}/leak.yaml", link),
    "a record that is a pipe": (f"{MODELS}/pipe.yaml", os.mkfifo),
    "a kind's folder that leads nowhere": ("records/backends", lambda path: path.symlink_to("nowhere")),
    "a template that is a link": ("templates/theme/leak.css", link),
    "redirects that are a pipe": ("records/redirects.yaml", os.mkfifo),
}


@pytest.mark.parametrize(("name", "lay"), BARRED.values(), ids=BARRED)
def test_what_is_no_regular_file_is_an_error(tiny: Base, name: str, lay: Callable[[Path], None]) -> None:
    (tiny.root / name).parent.mkdir(parents=True, exist_ok=True)
    lay(tiny.root / name)
    found = [(str(each.location), each.code, each.message[:10]) for each in tiny.findings()]
    assert found == [(f"{name}:1:1", "YML001", "this is a ")], "one mistake, one finding"


@pytest.mark.parametrize("name", ["a page that is a link", "a folder of pages that is a link", "a page that is a pipe"])
def test_nothing_of_it_is_published(tiny: Base, name: str) -> None:
    path, lay = BARRED[name]
    lay(tiny.root / path)
    for command in (["build"], ["materialise", "plain"]):
        assert run(*command, cwd=tiny.root, SECRET="hunter2").returncode != 0
    assert not (tiny.root / "site").exists()
    assert not (tiny.root / "plain").exists()


def test_folders_without_end_are_an_error(tiny: Base) -> None:
    (tiny.root / "docs" / "/".join("a" * 40)).mkdir(parents=True)
    found = tiny.findings()
    assert [(each.code, each.message[-38:]) for each in found] == [("YML001", "folders are nested deeper than 20 here")]


def test_what_editors_leave_is_passed_over(tiny: Base) -> None:
    tiny.lay({f"{MODELS}/.tiny-a.yaml.swp": b"\xff", "docs/.#guide.md.txt": "x", "docs/.hidden/page.md": "[[nobody]]"})
    (tiny.root / f"{MODELS}/.#tiny-a.yaml").symlink_to("somebody@host.4711:1764480000")
    assert run("validate", "--strict", cwd=tiny.root).returncode == 0


@pytest.mark.parametrize("command", ["fix", "review", "new"])
def test_nothing_is_written_outside_through_a_linked_folder(tiny: Base, tmp_path: Path, command: str) -> None:
    outside = tmp_path / "outside"
    tiny.edit(f"{MODELS}/tiny-a.yaml", '"[[tiny-a-config]]"', "[[tiny-a-config]]")  # so that there is something to mend
    (tiny.root / MODELS).rename(outside)
    (tiny.root / MODELS).symlink_to(outside)
    before = {path: path.read_bytes() for path in outside.iterdir()}
    arguments = {"fix": ["fix"], "review": ["review", "--all"], "new": ["new", "model", "fresh"]}
    done = run(*arguments[command], cwd=tiny.root)
    assert command == "fix" or done.returncode != 0
    assert {path: path.read_bytes() for path in outside.iterdir()} == before


PATHS = {
    "records outside": ("folder: records/models", "folder: ../outside"),
    "records anywhere": ("folder: records/models", "folder: /etc"),
    "records among the code": ("folder: records/models", "folder: generator"),
    "pages outside": ("path: models", "path: ../../outside"),
    "pages anywhere": ("path: models", "path: /srv/www"),
    "a template outside": ("template: model.html", "template: ../../secret.html"),
}


@pytest.mark.parametrize(("old", "new"), PATHS.values(), ids=PATHS)
def test_paths_of_the_registry_stay_below_the_base(tiny: Base, real_root: Path, old: str, new: str) -> None:
    shutil.copytree(real_root / "schema", tiny.root / "schema")
    tiny.edit("schema/kinds.yaml", old, new)
    with pytest.raises(NoKnowledgeBase, match=rf"schema/kinds.yaml:\d+:\d+: .*`{re.escape(new.partition(': ')[2])}`"):
        read(tiny.root)


@pytest.mark.parametrize(
    "command", [["validate"], ["materialise", "plain"], ["new", "model", "fresh"]], ids=lambda c: c[0]
)
def test_no_command_follows_a_path_out_of_the_base(tiny: Base, real_root: Path, command: list[str]) -> None:
    shutil.copytree(real_root / "schema", tiny.root / "schema")
    tiny.edit(
        "schema/kinds.yaml", "folder: records/models\n  path: models", "folder: ../outside\n  path: ../../outside"
    )
    done = run(*command, cwd=tiny.root)
    assert done.returncode == 2
    said = [line for line in (done.stdout + done.stderr).splitlines() if "outside`" in line]
    assert len(said) == 2, "both are reported"
    assert not (tiny.root.parent / "outside").exists()


@pytest.mark.parametrize("command", [["kv"], ["new", "model", "fresh"]], ids=["kv", "new"])
def test_a_config_that_is_a_pipe_or_a_device_is_not_waited_for(tiny: Base, command: list[str]) -> None:
    os.mkfifo(tiny.root / "pipe.json")
    refused(run(*command, "--config", "pipe.json", cwd=tiny.root), "pipe.json is not a regular file")
    refused(run(*command, "--config", "/dev/zero", cwd=tiny.root), "is not a regular file")
    (tiny.root / "config.json").write_text('{"model_type": "llama"}')
    (tiny.root / "linked.json").symlink_to("config.json")
    assert run("kv", "--config", "linked.json", cwd=tiny.root).returncode == 1, "what somebody names is read"


# --- rights ---------------------------------------------------------------------------------------------------------


def test_a_kind_that_cannot_be_read_is_an_error_and_no_absence(tiny: Base) -> None:
    (tiny.root / MODELS).chmod(0)
    try:
        done = run_without_rights("validate", cwd=tiny.root)
        assert done.returncode == 1
        assert f"{MODELS}:1:1 YML001 the folder cannot be read: Permission denied" in done.stdout
        asked = run_without_rights("graph", "tiny-gpu", cwd=tiny.root)
        assert asked.stderr == f"servebook: {MODELS} could not be read, so the answer rests on the others\n"
        assert run_without_rights("build", cwd=tiny.root).returncode != 0
        assert not (tiny.root / "site").exists()
    finally:
        (tiny.root / MODELS).chmod(0o755)


def test_a_base_that_cannot_be_written_is_one_line_and_stays(tiny: Base) -> None:
    tiny.lay({"records/redirects.yaml": "old: tiny-latent\n", "docs/guide.md": "[[old]]\n"})
    folders = [tiny.root, *(path for path in tiny.root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        for command in (["fix"], ["review", "tiny-a"], ["new", "concept", "idea"], ["build"], ["materialise", "plain"]):
            refused(run_without_rights(*command, cwd=tiny.root), "Permission denied")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (tiny.root / "docs/guide.md").read_text() == "[[old]]\n"


# --- room -----------------------------------------------------------------------------------------------------------


def run_with_room_for(size: int, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command where no file may grow beyond a size: the write fails, as it does on a full disk."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env={**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        preexec_fn=limit,
    )


@pytest.mark.parametrize(
    "command", [["new", "concept", "idea"], ["build"], ["materialise", "plain"]], ids=lambda c: c[0]
)
def test_a_full_disk_is_one_line_and_nothing_half_written(tiny: Base, command: list[str]) -> None:
    before = sorted(tiny.root.rglob("*"))
    done = run_with_room_for(100, *command, cwd=tiny.root)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("servebook: ")
    assert "File too large" in done.stderr
    assert sorted(tiny.root.rglob("*")) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "arguments", [["validate"], ["kv", "tiny-a"], ["explain"], ["show", "tiny-a", "--format", "json"]]
)
def test_an_output_that_is_full_is_one_line(tiny: Base, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tiny.root,
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "servebook: No space left on device\n")


# --- where one stands, and what one types ---------------------------------------------------------------------------


def test_a_working_directory_that_is_gone_is_one_line(tiny: Base) -> None:
    for arguments, status in ((["validate"], 2), (["--root", str(tiny.root), "validate"], 0)):
        (tiny.root / "gone").mkdir()
        done = subprocess.run(
            ["sh", "-c", 'rmdir ../gone; exec "$@"', "sh", *COMMAND, *arguments],
            cwd=tiny.root / "gone",
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        if status:
            refused(done, "working directory was removed", "--root")


ODD = {
    "an id that is no UTF-8": ["show", "tiny-\udcff"],
    "a kind that is no UTF-8": ["new", "\udcff", "x"],
    "an address that is no UTF-8": ["new", "source", "odd", "--url", "https://example.org/\udcff"],
    "a root that is no UTF-8": ["--root", "\udcff", "validate"],
    "a root that is too long": ["--root", "x" * 5000, "validate"],
    "an output that is too long": ["materialise", "x" * 5000],
}


@pytest.mark.parametrize("arguments", ODD.values(), ids=ODD)
def test_an_odd_argument_is_one_line(tiny: Base, arguments: list[str]) -> None:
    before = sorted(tiny.root.rglob("*"))
    refused(run(*arguments, cwd=tiny.root))
    assert sorted(tiny.root.rglob("*")) == before


def test_half_a_character_in_a_config_is_one_line(tiny: Base) -> None:
    (tiny.root / "config.json").write_text('{"model_type": "llama", "\\ud800": 1}')
    for command in (["kv"], ["new", "model", "odd"]):
        refused(run(*command, "--config", "config.json", cwd=tiny.root), "U+D800", "half of a character")


@pytest.mark.parametrize("option", ["--context", "--batch", "--tp"])
def test_a_number_of_400_digits_is_refused(tiny: Base, option: str) -> None:
    done = run("kv", "tiny-a", option, "9" * 400, cwd=tiny.root)
    assert done.returncode == 2
    assert f"Invalid value for '{option}'" in done.stderr
    most = "1000000000000"
    assert run("kv", "tiny-a", "--context", most, "--batch", most, cwd=tiny.root).returncode == 0


def test_a_port_that_is_taken_is_one_line(tiny: Base) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run("serve", "--addr", address, cwd=tiny.root)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1] == f"servebook: {address} is in use already; name another with --addr"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_a_preview_that_is_stopped_leaves_nothing(tiny: Base, tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "tmp").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    process = subprocess.Popen(
        [*COMMAND, "serve", "--addr", address],
        cwd=tiny.root,
        env={**ENVIRONMENT, "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "Serving on" in line:
            break
    with urllib.request.urlopen(f"http://{address}/", timeout=600) as answer:  # MkDocs says so before its thread runs
        assert answer.status == 200
    process.send_signal(number)
    _, err = process.communicate(timeout=600)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 0}[number], err
    assert "Traceback" not in err
    assert list((tmp_path / "tmp").iterdir()) == []
