"""A client that talks to a language server over its standard input and output, as an editor does."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

PATIENCE = 600.0
"""Seconds to wait for an answer; on two busy cores Node takes its time to start."""


class LanguageServer:
    """One server process and the conversation with it. Settings are what an editor's own settings would be."""

    def __init__(self, command: Sequence[str], root: Path, settings: dict[str, Any]) -> None:
        self.settings = settings
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self._inbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._number = 0
        self.diagnostics: dict[str, list[dict[str, Any]]] = {}
        folder = {"uri": root.as_uri(), "name": root.name}
        can = {"workspace": {"configuration": True}, "textDocument": {"completion": {}, "publishDiagnostics": {}}}
        self.request(
            "initialize",
            {"processId": None, "rootUri": root.as_uri(), "workspaceFolders": [folder], "capabilities": can},
        )
        self.notify("initialized", {})

    def __enter__(self) -> LanguageServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join(5)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def open(self, path: Path, text: str) -> list[dict[str, Any]]:
        """Show a document, and wait for what the server has to say about it."""
        uri = path.as_uri()
        self.diagnostics.pop(uri, None)
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        self._until(lambda: uri in self.diagnostics)
        return self.diagnostics[uri]

    def complete(self, path: Path, line: int, character: int) -> list[str]:
        """The labels that are offered at a place, counted from 0."""
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
        answer = self.request("textDocument/completion", place)
        items = answer.get("items", []) if isinstance(answer, dict) else answer
        return [item["label"] for item in items]

    def hover(self, path: Path, line: int, character: int) -> str:
        """The text that is shown over a place, counted from 0."""
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
        return json.dumps(self.request("textDocument/hover", place))

    def request(self, method: str, parameters: Any) -> Any:
        """Ask, and wait for the answer."""
        self._number += 1
        number = self._number
        answers: dict[int, Any] = {}
        self._send({"id": number, "method": method, "params": parameters})
        self._until(lambda: number in answers, answers)
        return answers[number]

    def notify(self, method: str, parameters: Any) -> None:
        """Tell, and wait for nothing."""
        self._send({"method": method, "params": parameters})

    def _until(self, done: Callable[[], bool], answers: dict[int, Any] | None = None) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            try:
                message = self._inbox.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"the server said nothing for {PATIENCE:.0f} s") from None
            if message is None:
                raise AssertionError(f"the server has ended with status {self._process.wait()}")
            if message.get("method") == "textDocument/publishDiagnostics":
                self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
            elif "method" in message and "id" in message:
                self._reply(message)
            elif "id" in message and answers is not None:
                assert "error" not in message, message["error"]
                answers[message["id"]] = message.get("result")

    def _reply(self, message: dict[str, Any]) -> None:
        result: Any = None
        if message["method"] == "workspace/configuration":
            result = [self.settings.get(item.get("section", "")) for item in message["params"]["items"]]
        self._send({"id": message["id"], "result": result})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode("utf-8")
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _listen(self) -> None:
        out = self._process.stdout
        assert out is not None
        while True:
            size = 0
            while (line := out.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode("ascii").partition(":")
                size = int(value) if name.lower() == "content-length" else size
            if not size:
                self._inbox.put(None)
                return
            self._inbox.put(json.loads(out.read(size)))
