"""What came of an attack, in figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Inputs tried, held and fallen: a fall is an input, where it was put, and what came out."""

    tried: int = 0
    falls: list[str] = field(default_factory=list)

    @property
    def held(self) -> int:
        return self.tried - len(self.falls)


def reported(seed: int, made: Mapping[str, Tally | str]) -> str:
    """The figures of an attack, as docs/threat-model.md quotes them; what was skipped is said with its reason."""
    lines = [f"seed {seed}"]
    for name, tally in made.items():
        if isinstance(tally, Tally):
            lines.append(f"{name}: {tally.tried:,} tried, {tally.held:,} held, {len(tally.falls):,} fell")
        else:
            lines.append(f"{name}: skipped, {tally}")
    return "\n".join(lines)
