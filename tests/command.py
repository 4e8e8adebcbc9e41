"""The command in a process of its own, without the time that an interpreter needs to start.

A server forks: it has read the package once, runs nothing itself and holds no thread, so that each process begins where
a fresh one stands before it runs the command.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired

ROOT = Path(__file__).parents[1]
PATIENCE = 600
PRELOADED = ("checks", "cli", "cli.output.validation", "cli.revision", "authoring.fixes", "authoring.new")


def _server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["command", *(f"generator.{name}" for name in PRELOADED)])
    return context


def run(*arguments: str, cwd: Path, environment: Mapping[str, str]) -> CompletedProcess[str]:
    """The command with some arguments, run in a folder and with an environment: status, output, errors."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = _server().Process(target=_command, args=(arguments, str(cwd), dict(environment), str(out), str(err)))
        process.start()
        process.join(PATIENCE)
        if process.exitcode is None:
            process.kill()
            raise TimeoutExpired(arguments, PATIENCE)
        said = [path.read_bytes().decode("utf-8") for path in (out, err)]
    return CompletedProcess(arguments, process.exitcode, *said)


def _command(arguments: tuple[str, ...], cwd: str, environment: dict[str, str], out: str, err: str) -> None:
    from generator.cli import main

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY), number)
    sys.argv = ["servebook", *arguments]
    main()
