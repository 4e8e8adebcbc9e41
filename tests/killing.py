"""Run something in a process of its own and kill it, as `kill -9` does, right before its n-th step on the disk."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

STEPS = (
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.truncate",
)
"""Events of Python's audit hooks that change a disk; `os.replace` is a rename, and `open` one if it is for writing."""


def killed_at_each_step(work: Callable[[], Any], below: Path, lay: Callable[[], Any]) -> Iterator[int]:
    """For each step that `work` does below a folder: the folder laid anew, the process killed there, and its number."""
    number = 0
    while True:
        lay()
        if _survives(work, below, number):
            return
        yield number
        number += 1


def _survives(work: Callable[[], Any], below: Path, number: int) -> bool:
    """Whether the work comes to its end before step `number`, counted from 0."""
    child = os.fork()
    if child == 0:
        try:
            _watch(below, number)
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0, "the work itself failed"
    return True


def _watch(below: Path, number: int) -> None:
    left = [number]

    def step() -> None:
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1

    def event(name: str, arguments: tuple[Any, ...]) -> None:
        writes = name == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        named = [str(each) for each in arguments if isinstance(each, str | os.PathLike)]
        open_folder = name in ("os.remove", "os.rmdir") and arguments[1] != -1  # then the name is relative to it
        if (writes or name in STEPS) and (open_folder or any(each.startswith(str(below)) for each in named)):
            step()

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            step()
            return function(*arguments)

        return called

    os.write, os.fsync = counted(os.write), counted(os.fsync)  # these raise no event
    sys.addaudithook(event)
