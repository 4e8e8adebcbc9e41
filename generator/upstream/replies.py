"""What a host said, or why it said nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ABSENT = (404, 410)
"""The statuses that say that a document is not there; whether it is gone takes a positive control."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply: where it came from in the end, its status, the headers that matter (in lower case), its bytes."""

    url: str
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def absent(self) -> bool:
        """Whether the host says that there is no such document."""
        return self.status in ABSENT


class NoReply(Exception):
    """No host has said anything about the document: out of reach, refused, cut short, no such form. It is no drift."""


class Spent(Exception):
    """The run has used up what it was given; what is left is for the next one."""
