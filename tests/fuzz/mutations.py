"""What strangers and accidents do to a file: other types, bytes, lines and structures, or a second record in it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

HUGE = "9" * 5000
VALUES = [
    *("null", "true", "false", "0", "1", "-1", "3", "61", "4096", "1e300", "1e-300", "-0.0", "1e+400", "0.5", HUGE),
    *(
        "9007199254740993",
        "1073741825",
        '""',
        '" "',
        "a",
        "x" * 300,
        '"\\0"',
        '"\\uD800"',
        '"\\u202E"',
        '"\\U0001F600"',
    ),
    *("[]", "{}", "[[]]", "[{}]", "[1, a, null]", "[null]", "{a: 1}", "{a: {b: [c]}}", "[" * 40 + "]" * 40),
    *("2026-01-01", "9999-12-31", "0001-01-01", "2026-13-45", "12:30:00", "1_000", "0x10", ".inf", ".nan", "~"),
    *('"[[tiny-a]]"', '"[[nothing]]"', "[[tiny-a]]", '"{{ kv.naive }}"', '"{{ 9e307*9e307 }}"', '"{{ 2**99999 }}"'),
    *('"<script>"', '"::error::x"', '"a\\nb"', '"../../etc/passwd"', '"javascript:alert(1)"', "!!python/object:x y"),
    *("[full_attention, sliding_attention]", "[0, 0, 128, 4]", "{value: 80, unit: GB}", '"80 GB"', "fp8", "sm_90"),
    "[" + ", ".join(["1"] * 3000) + "]",
    "{" + ", ".join(f"k{number}: 1" for number in range(1000)) + "}",
    '"' + "[" * 3000 + '"',
    '"' + "a " * 3000 + '"',
]
FIELD = re.compile(r"^( *(?:- )?)([\w.]+):(?: +(.*))?$", re.M)

Mutation = Callable[[random.Random, str, str], str]


def a_value(chance: random.Random, text: str, other: str) -> str:
    """Another value, most often of another type, in the place of one."""
    found = [each for each in FIELD.finditer(text) if each[3]]
    if not found:
        return text
    inside = [each for each in found if each[1]]
    where = chance.choice(inside if inside and chance.random() < 0.7 else found)
    return f"{text[: where.start(3)]}{chance.choice(VALUES)}{text[where.end(3) :]}"


def a_block(chance: random.Random, text: str, other: str) -> str:
    """Another value in the place of a whole block of fields."""
    blocks = list(re.finditer(r"^(\w+):\n((?:[ -].*\n|\n)+)", text, re.M))
    if not blocks:
        return text
    where = chance.choice(blocks)
    return f"{text[: where.start()]}{where[1]}: {chance.choice(VALUES)}\n{text[where.end() :]}"


def a_field(chance: random.Random, text: str, other: str) -> str:
    """A field of the other record in this one, or a known one with a foreign value."""
    theirs = list(re.finditer(r"^(\w+):(?:.*\n)(?:[ -].*\n|\n)*", other, re.M))
    if not theirs or chance.random() < 0.3:
        known = chance.choice(["config", "facts", "claims", "notes", "cites", "waivers"])
        return f"{text}\n{known}: {chance.choice(VALUES)}\n"
    return f"{text}\n{chance.choice(theirs)[0]}"


def a_key(chance: random.Random, text: str, other: str) -> str:
    """A key of the other record for one of this record's."""
    mine, theirs = list(FIELD.finditer(text)), list(FIELD.finditer(other))
    if not mine or not theirs:
        return text
    where = chance.choice(mine)
    return f"{text[: where.start(2)]}{chance.choice(theirs)[2]}{text[where.end(2) :]}"


def lines(chance: random.Random, text: str, other: str) -> str:
    """Lines taken out, doubled, exchanged, indented, or of the other record."""
    rows = text.splitlines(keepends=True)
    for _ in range(chance.randint(1, 3)):
        at, to = chance.randrange(len(rows)), chance.randrange(len(rows))
        way = chance.randrange(5)
        if way == 0 and len(rows) > 1:
            del rows[at]
            continue
        rows[at] = (
            rows[at] * 2
            if way == 1
            else rows[to]
            if way == 2
            else chance.choice(["  ", "- ", "\t"]) + rows[at]
            if way == 3
            else chance.choice(other.splitlines(keepends=True) or ["\n"])
        )
    return "".join(rows)


def characters(chance: random.Random, text: str, other: str) -> str:
    """Characters that mean something to YAML, Markdown or a terminal, anywhere."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text) + 1)
        size = chance.choice([0, 0, 1, 3])
        text = (
            text[:at]
            + chance.choice(
                [
                    "[",
                    "]",
                    "{",
                    "}",
                    ":",
                    "#",
                    "'",
                    '"',
                    "|",
                    ">",
                    "-",
                    "\n",
                    "\t",
                    "\x1b",
                    "\x00",
                    "\u2028",
                    "\ue000",
                    "[[",
                    "]]",
                    "{{",
                    "}}",
                    "`",
                    "<",
                    "&",
                    "*",
                    "!",
                    "%",
                    "@",
                    "\\",
                ]
            )
            + text[at + size :]
        )
    return text


def merged(chance: random.Random, text: str, other: str) -> str:
    """Two records in one file, as a merge may leave them."""
    mine, theirs = text.splitlines(keepends=True), other.splitlines(keepends=True)
    at, to = chance.randrange(len(mine) + 1), chance.randrange(len(theirs) + 1)
    if chance.random() < 0.3:
        return "".join([*mine[:at], "<<<<<<< ours\n", *mine[at:], "=======\n", *theirs[:to], ">>>>>>> theirs\n"])
    return "".join([*mine[:at], *theirs[to:]])


MUTATIONS: tuple[tuple[Mutation, int], ...] = (
    (a_value, 9),
    (a_block, 2),
    (a_field, 2),
    (a_key, 2),
    (lines, 2),
    (characters, 2),
    (merged, 1),
)


def mutated(chance: random.Random, text: str, other: str) -> bytes:
    """A file as somebody might leave it; one in twenty is torn as bytes are."""
    ways, weights = zip(*MUTATIONS, strict=True)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        text = chance.choices(ways, weights)[0](chance, text, other) or "\n"
    data = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.05:
        at = chance.randrange(len(data) + 1)
        data = data[:at] + bytes(chance.randrange(256) for _ in range(chance.randint(1, 4))) + data[at:]
    return data


def mutated_config(chance: random.Random, config: dict[str, object]) -> str:
    """A config.json with other values, and keys of other models."""
    changed = dict(config)
    for _ in range(chance.choice([1, 1, 2, 4])):
        key = chance.choice([*changed, "num_hidden_layers", "layer_types", "text_config", "architectures"])
        changed[key] = chance.choice(JSON)
        if chance.random() < 0.2:
            changed.pop(chance.choice(list(changed)))
    text = json.dumps(changed)
    if chance.random() < 0.15:
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice(["", "{", "]", '"', HUGE, "NaN", "\x00"]) + text[at + 1 :]
    return text


JSON: list[object] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        3,
        61,
        4096,
        1e300,
        1e-300,
        0.5,
        10**60,
        2**63,
        "",
        "a",
        "x" * 300,
        "\ud800",
        "\u202e",
    ),
    *([], {}, [[]], [{}], [1, "a", None], [None], {"a": 1}, {"a": {"b": ["c"]}}, [0] * 3000, ["full_attention"] * 61),
    *([["attn", 1]], [{"attention": {"n_heads_in_group": 8}}], {"factor": 4}, float("inf"), float("nan"), "M-M*"),
]
