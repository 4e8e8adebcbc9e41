"""The content policy of every page: scripts are our own files and the theme's few lines, nothing is from elsewhere.

A script in a page is allowed by its digest, and only if it is one of those in the theme's templates: what
got into a page in any other way does not run. The policy is in the page, since a host may not let us set headers.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_INLINE = re.compile(r"<script>([^<]*+(?:<(?!/script>)[^<]*+)*+)</script>")
_VALUE = re.compile(r"\{\{[^{}]*\}\}")
_HEAD = '<meta charset="utf-8">'
_RULES = (
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
)


@dataclass(frozen=True)
class ContentPolicy:
    """The scripts that the templates of a theme hold, as patterns: an expression in one is an address."""

    scripts: tuple[re.Pattern[str], ...]

    @classmethod
    def of(cls, folders: Iterable[str]) -> ContentPolicy:
        """Read the templates of the theme's folders."""
        texts = {path.read_text("utf-8") for folder in folders for path in sorted(Path(folder).rglob("*.html"))}
        bodies = {body for text in texts for body in _INLINE.findall(text)}
        return cls(tuple(re.compile(r"[\w./:-]*".join(map(re.escape, _VALUE.split(body)))) for body in sorted(bodies)))

    def written_into(self, html: str) -> str:
        """A page with its policy, right behind the declaration of its encoding."""
        ours = dict.fromkeys(body for body in _INLINE.findall(html) if any(one.fullmatch(body) for one in self.scripts))
        sources = " ".join(["'self'", *(f"'sha256-{_digest(body)}'" for body in ours)])
        rules = "; ".join([*_RULES, f"script-src {sources}"])
        meta = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
        return html.replace(_HEAD, f"{_HEAD}\n      {meta}", 1)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
