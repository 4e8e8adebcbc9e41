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

from fuzz.targets import Tally, configs, records, reported


def until(deadline: float) -> Callable[[int], bool]:
    return lambda _: time.monotonic() < deadline


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long, for all targets together")
    parser.add_argument("--seed", type=int, help="a seed to repeat; a fresh one otherwise")
    parser.add_argument("--report", action="store_true", help="print the figures alone")
    parser.add_argument("--only", choices=("records", "configs"), help="one target alone")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else secrets.randbelow(2**32)
    print(f"seed {seed}", file=sys.stderr, flush=True)
    tallies: dict[str, Tally] = {}
    targets = {"records": (records, 0.75), "configs": (configs, 0.25)}
    for name, (target, share) in targets.items():
        if asked.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            seconds = asked.seconds * (share if asked.only is None else 1)
            tallies[name] = target(random.Random(f"{seed} {name}"), Path(folder), until(time.monotonic() + seconds))
    print(reported(seed, tallies))
    falls = [fall for tally in tallies.values() for fall in tally.falls]
    if not asked.report:
        print("\n\n".join(falls))
    return 1 if falls else 0


if __name__ == "__main__":
    sys.exit(main())
