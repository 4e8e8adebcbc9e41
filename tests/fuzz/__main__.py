"""``python -m tests.fuzz``: mutate records and configs for a while; the seed is printed, so that a run can be repeated.

Exit status 1 where anything fell. ``--report`` prints the figures alone.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # as pytest has it

from fuzz.parsers import PARSERS, parser_attacked
from fuzz.tally import Tally, reported
from fuzz.targets import configs, records

SHARES = {"records": 0.6, "configs": 0.2, "citations": 0.1, "expressions": 0.1}
"""How much of the time each target gets."""


def until(deadline: float) -> Callable[[int], bool]:
    return lambda _: time.monotonic() < deadline


def attacked(target: str, seed: int, seconds: float) -> Tally | str:
    """What came of an attack on one target, or why there was none."""
    if target in PARSERS:
        return parser_attacked(target, seed, seconds)
    with tempfile.TemporaryDirectory() as folder:
        mutate = {"records": records, "configs": configs}[target]
        return mutate(random.Random(f"{seed} {target}"), Path(folder), until(time.monotonic() + seconds))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long, for all targets together")
    parser.add_argument("--seed", type=int, help="a seed to repeat; a fresh one otherwise")
    parser.add_argument("--report", action="store_true", help="print the figures alone")
    parser.add_argument("--only", choices=SHARES, help="one target alone")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else secrets.randbelow(2**31)
    print(f"seed {seed}", file=sys.stderr, flush=True)
    shares = SHARES if asked.only is None else {asked.only: 1}
    made = {target: attacked(target, seed, asked.seconds * share) for target, share in shares.items()}
    print(reported(seed, made))
    falls = [fall for tally in made.values() if isinstance(tally, Tally) for fall in tally.falls]
    if not asked.report:
        print("\n\n".join(falls))
    return 1 if falls else 0


if __name__ == "__main__":
    sys.exit(main())
