"""Runs that meet: a lock that ends with its process, and a moment in which no signal interrupts."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: runs are not distinguished there
    fcntl = None  # type: ignore[assignment]


class Busy(Exception):
    """Another run is at work; the message says where."""


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold a file's lock, which the system gives back however the process ends. Raises `Busy` where another has it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f"another run of servebook is writing here ({path}); wait until it is done") from None
        yield handle
    finally:
        os.close(handle)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A Ctrl-C waits until the block is done, where the system can hold it back."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
