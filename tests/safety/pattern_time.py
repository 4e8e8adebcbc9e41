"""Whether a regular expression is searched for in time proportional to the text, decided from its parse tree.

Python's matcher goes back: where it can read one stretch of a text in two ways, and the rest fails, it tries both, at
every place. Searching takes more than linear time if and only if there are two places p and q in the automaton and a
word that leads from p to p, from p to q, and from q to q (the criterion of infinite ambiguity, Weber and Seidl, 1991).
The search itself, which begins anew at each character, is a loop over everything in front of the pattern: so ``a+b`` is
told, which reads a thousand a's once from each of them, and ``(?<!a)a+b`` is not.

What is left out of account (what a lookahead asks, back-references) is taken for the worst.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

ALPHABET = [
    *map(chr, range(128)),
    "\x85",
    "\xa0",
    "é",
    "“",
    "”",
    "’",
    "…",
    "–",
    "—",
    "×",
    "≈",
    "漢",
    "\u2028",
    "\ue000",
]
EVERYTHING = frozenset(ALPHABET)
WORD = frozenset(char for char in ALPHABET if re.match(r"\w", char))
MOST = 200_000
"""States of a pattern, or triples of them, that are looked at; a larger pattern is not decided, and refused."""
COPIES = 2
"""A bounded repeat is no loop: so many copies stand for all of them."""


@dataclass(frozen=True)
class Constraint:
    """What must hold between two characters: the one before in a set, or a change between word and no word."""

    before: frozenset[str] | None = None
    boundary: bool | None = None
    after: frozenset[str] | None = None

    def holds(self, last: str, following: str) -> bool:
        if self.before is not None and last not in self.before:
            return False
        if self.after is not None and following not in self.after:
            return False
        return self.boundary is None or ((last in WORD) != (following in WORD)) == self.boundary


@dataclass
class Automaton:
    """States with silent edges, which may be constrained, and edges that read a character of a set."""

    silent: list[list[tuple[int, Constraint | None]]] = field(default_factory=list)
    reading: list[tuple[int, frozenset[str], int, tuple[int, ...]]] = field(default_factory=list)
    from_state: list[list[int]] = field(default_factory=list)
    atoms: int = 0
    groups: dict[int, tuple[Any, int]] = field(default_factory=dict)

    def state(self) -> int:
        self.silent.append([])
        self.from_state.append([])
        return len(self.silent) - 1

    def step(self, start: int, chars: frozenset[str], inside: tuple[int, ...]) -> int:
        end = self.state()
        self.from_state[start].append(len(self.reading))
        self.reading.append((start, chars, end, inside))
        return end

    def jump(self, start: int, end: int, constraint: Constraint | None = None) -> None:
        self.silent[start].append((end, constraint))

    def bridge(self, start: int) -> int:
        end = self.state()
        self.jump(start, end)
        return end

    # --- from the parse tree ---

    def sequence(self, items: Iterable[Any], at: int, flags: int, inside: tuple[int, ...]) -> int:
        for op, value in items:
            at = self.item(op, value, at, flags, inside)
        return at

    def item(self, op: Any, value: Any, at: int, flags: int, inside: tuple[int, ...]) -> int:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self.step(at, _chars(op, value, flags), inside)
        if op is sre.BRANCH:
            end = self.state()
            for way in value[1]:
                self.jump(self.sequence(way, at, flags, inside), end)
            return end
        if op is sre.SUBPATTERN:
            flags = (flags | value[1]) & ~value[2]
            self.groups[value[0]] = value[3], flags
            return self.sequence(value[3], at, flags, inside)
        if op is sre.GROUPREF:  # it is one of the texts that the group reads
            items, flags = self.groups[value]
            return self.sequence(items, at, flags, inside)
        if op is sre.ATOMIC_GROUP:
            self.atoms += 1
            return self.sequence(value, at, flags, (*inside, self.atoms))
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            if op is sre.POSSESSIVE_REPEAT:
                self.atoms += 1
                inside = (*inside, self.atoms)
            return self._repeat(value, at, flags, inside)
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            return self._assertion(op, value, at, flags, inside)
        if op is sre.AT:
            end = self.state()
            self.jump(at, end, _place(value, flags))
            return end
        raise NotImplementedError(op)

    def _repeat(self, value: Any, at: int, flags: int, inside: tuple[int, ...]) -> int:
        low, high, body = value
        for _ in range(min(low, COPIES)):
            at = self.sequence(body, at, flags, inside)
        if high is sre.MAXREPEAT:
            loop, out = self.state(), self.state()
            self.jump(at, loop)
            self.jump(self.sequence(body, loop, flags, inside), loop)
            self.jump(loop, out)
            return out
        out = self.state()
        for _ in range(min(high - min(low, COPIES), COPIES)):
            self.jump(at, out)
            at = self.sequence(body, at, flags, inside)
        self.jump(at, out)
        return out

    def _assertion(self, op: Any, value: Any, at: int, flags: int, inside: tuple[int, ...]) -> int:
        direction, body = value
        end = self.state()
        single = _single(body, flags)
        if direction < 0:  # only the character just before is looked at
            last = _single(body[-1:], flags)
            known = last if op is sre.ASSERT else (EVERYTHING - single if single is not None else None)
            self.jump(at, end, Constraint(before=known))
            return end
        known = single if op is sre.ASSERT else (EVERYTHING - single if single is not None else None)
        self.jump(at, end, Constraint(after=known))
        if single is None:
            self.atoms += 1
            self.sequence(body, at, flags, (*inside, self.atoms))  # what it reads itself
        return end


def _single(items: Any, flags: int) -> frozenset[str] | None:
    """The characters of a pattern that reads exactly one; None for any other."""
    items = list(items)
    if len(items) != 1:
        return None
    op, value = items[0]
    if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
        return _chars(op, value, flags)
    if op is sre.SUBPATTERN:
        return _single(value[3], (flags | value[1]) & ~value[2])
    return None


def _place(where: Any, flags: int) -> Constraint | None:
    if where in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY):
        return Constraint(boundary=where is sre.AT_BOUNDARY)
    if where is sre.AT_BEGINNING and flags & re.M:
        return Constraint(before=frozenset("\n"))
    if where in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
        return Constraint(before=frozenset())  # once in a text
    if where is sre.AT_END and flags & re.M:
        return Constraint(after=frozenset("\n"))
    return Constraint(after=frozenset())


def _chars(op: Any, value: Any, flags: int) -> frozenset[str]:
    if op is sre.ANY:
        return EVERYTHING if flags & re.S else EVERYTHING - {"\n"}
    if op is sre.LITERAL:
        return _cased({chr(value)}, flags)
    if op is sre.NOT_LITERAL:
        return EVERYTHING - _cased({chr(value)}, flags)
    negate, found = False, set()
    for kind, item in value:
        if kind is sre.NEGATE:
            negate = True
        elif kind is sre.LITERAL:
            found.add(chr(item))
        elif kind is sre.RANGE:
            found |= {char for char in ALPHABET if item[0] <= ord(char) <= item[1]} | {chr(item[0])}
        elif kind is sre.CATEGORY:
            found |= _CATEGORIES[item]
    cased = _cased(found, flags)
    return EVERYTHING - cased if negate else cased


_CATEGORIES = {
    category: {char for char in ALPHABET if re.match(pattern, char)}
    for category, pattern in (
        (sre.CATEGORY_DIGIT, r"\d"),
        (sre.CATEGORY_NOT_DIGIT, r"\D"),
        (sre.CATEGORY_SPACE, r"\s"),
        (sre.CATEGORY_NOT_SPACE, r"\S"),
        (sre.CATEGORY_WORD, r"\w"),
        (sre.CATEGORY_NOT_WORD, r"\W"),
    )
}


def _cased(chars: set[str], flags: int) -> frozenset[str]:
    return frozenset({each for char in chars for each in (char.lower(), char.upper())} if flags & re.I else chars)


# --- two ways through one text --------------------------------------------------------------------------------------

Node = tuple[int, str]
"""An edge that reads, and the character that it has read."""


@dataclass
class Search:
    """A pattern as it is searched for: anything in front, then the pattern."""

    automaton: Automaton
    prefix: int
    accept: int
    letters: list[str]
    known: dict[tuple[int, str, str], list[int]] = field(default_factory=dict)
    plain: dict[int, list[int] | None] = field(default_factory=dict)
    ends: dict[int, bool] = field(default_factory=dict)
    followers: dict[Node, list[Node]] = field(default_factory=dict)

    @classmethod
    def of(cls, pattern: str, flags: int, anchored: bool) -> Search:
        tree = parser.parse(pattern, flags)
        made = Automaton()
        begin = made.state()
        loop = made.step(begin, EVERYTHING, ())
        made.jump(loop, begin, Constraint(before=frozenset()) if anchored else None)
        accept = made.sequence(tree, begin if not anchored else made.bridge(loop), tree.state.flags, ())
        return cls(made, 0, accept, _letters({chars for _, chars, _, _ in made.reading}))

    def edges(self, state: int, last: str, following: str) -> list[int]:
        """The edges that may read `following` behind `last`."""
        reading = self.automaton.reading
        return [edge for edge in self._closed(state, last, following) if following in reading[edge][1]]

    def _closed(self, state: int, last: str, following: str) -> list[int]:
        """The edges that are reached from a state in silence, between two characters."""
        if state not in self.plain:
            found, constrained = self._reach(state, None)
            self.plain[state] = None if constrained else found
        plain = self.plain[state]
        if plain is not None:
            return plain
        key = (state, last, following)
        if key not in self.known:
            self.known[key] = self._reach(state, (last, following))[0]
        return self.known[key]

    def _reach(self, state: int, between: tuple[str, str] | None) -> tuple[list[int], bool]:
        seen, todo, found, constrained = {state}, [state], [], False
        while todo:
            at = todo.pop()
            found += self.automaton.from_state[at]
            for end, constraint in self.automaton.silent[at]:
                constrained = constrained or constraint is not None
                if end not in seen and (constraint is None or between is None or constraint.holds(*between)):
                    seen.add(end)
                    todo.append(end)
        return found, constrained

    def after(self, node: Node) -> list[Node]:
        """What may be read next, as long as the pattern can still fail: where it may end, nothing is tried again."""
        if node not in self.followers:
            end = self.automaton.reading[node[0]][2]
            found = [(edge, letter) for letter in self.letters for edge in self.edges(end, node[1], letter)]
            self.followers[node] = [each for each in found if not self.always_ends(each)]
        return self.followers[node]

    def always_ends(self, node: Node) -> bool:
        """Whether the pattern may end behind a node whatever follows."""
        edge = node[0]
        if edge not in self.ends:
            seen, todo = set(), [self.automaton.reading[edge][2]]
            while todo:
                at = todo.pop()
                if at not in seen:
                    seen.add(at)
                    todo += [end for end, constraint in self.automaton.silent[at] if constraint is None]
            self.ends[edge] = self.accept in seen
        return self.ends[edge]

    def nodes(self) -> list[Node]:
        """All nodes that can be reached."""
        first = [(self.prefix, letter) for letter in self.letters]
        seen, todo = set(first), list(first)
        while todo:
            for node in self.after(todo.pop()):
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
            if len(seen) > MOST:
                raise ValueError(f"the pattern has more than {MOST:,} states: bound what it repeats")
        return sorted(seen)

    def doubled(self) -> tuple[int, int, str] | None:
        """Two edges between which a text can be divided in many ways, with a letter of it; None if there are none."""
        loops = _components(self.nodes(), self.after)
        edges: dict[int, list[Node]] = {}
        spelled: dict[int, set[str]] = {}
        for node, component in loops.items():
            edges.setdefault(node[0], []).append(node)
            spelled.setdefault(component, set()).add(node[1])
        letters = {edge: set().union(*(spelled[loops[node]] for node in nodes)) for edge, nodes in edges.items()}
        reached: dict[tuple[int, frozenset[str]], set[int]] = {}
        for q in sorted(edges):
            for p in sorted(edges):
                if p == q or q == self.prefix or not self._gives_back(p, q):
                    continue
                common = frozenset(letters[p] & letters[q])
                if (p, common) not in reached:
                    reached[p, common] = self._reached(edges[p], common)
                if q in reached[p, common]:
                    starts = [((p, node[1]), node) for node in edges[q] if (p, node[1]) in loops]
                    if letter := self._both(starts, loops):
                        return p, q, letter
        return None

    def _reached(self, nodes: list[Node], letters: frozenset[str]) -> set[int]:
        """The edges to which words of some letters lead."""
        seen, todo = set(nodes), list(nodes)
        while todo:
            for node in self.after(todo.pop()):
                if node[1] in letters and node not in seen:
                    seen.add(node)
                    todo.append(node)
        return {edge for edge, _ in seen}

    def _gives_back(self, p: int, q: int) -> bool:
        """Whether what p reads can be given to q afterwards: not once p's atomic group is left."""
        return set(self.automaton.reading[p][3]) <= set(self.automaton.reading[q][3])

    def _both(self, starts: list[tuple[Node, Node]], loops: dict[Node, int]) -> str | None:
        """A letter of a word that leads from p to p, from p to q and from q to q; which letter comes first is one."""
        seen = {(p, p, q) for p, q in starts}
        todo = list(seen)
        own, other = {loops[p] for p, _ in starts}, {loops[q] for _, q in starts}
        ends = {(p[0], q[0], q[0]) for p, q in starts}
        while todo:
            a, b, c = todo.pop()
            first = _by_letter(each for each in self.after(a) if loops.get(each) in own)
            second, third = _by_letter(self.after(b)), _by_letter(x for x in self.after(c) if loops.get(x) in other)
            for letter in first.keys() & second.keys() & third.keys():
                for triple in product(first[letter], second[letter], third[letter]):
                    if (triple[0][0], triple[1][0], triple[2][0]) in ends:
                        return letter
                    if triple not in seen:
                        seen.add(triple)
                        todo.append(triple)
            if len(seen) > MOST:
                return "anything"
        return None


def _by_letter(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for node in nodes:
        found.setdefault(node[1], []).append(node)
    return found


def _letters(sets: set[frozenset[str]]) -> list[str]:
    """One character for each class that the sets of a pattern tell apart."""
    ordered = sorted(sets, key=sorted)
    classes: dict[tuple[bool, ...], str] = {}
    for char in ALPHABET:
        classes.setdefault((char in WORD, char == "\n", *(char in each for each in ordered)), char)
    return list(classes.values())


def _components(nodes: list[Node], after: Any) -> dict[Node, int]:
    """The nodes that lie on a circle, each with the number of its component (Tarjan)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on: set[Node] = set()
    found: dict[Node, int] = {}
    for root in nodes:
        if root in index:
            continue
        work: list[tuple[Node, Iterator[Node]]] = [(root, iter(after(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        each = stack.pop()
                        on.discard(each)
                        component.append(each)
                        if each == node:
                            break
                    if len(component) > 1 or node in after(node):
                        found |= dict.fromkeys(component, index[node])
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                on.add(following)
                work.append((following, iter(after(following))))
            elif following in on:
                low[node] = min(low[node], index[following])
    return found


def more_than_linear(pattern: str, flags: int = 0, anchored: bool = False) -> str | None:
    """Why a search may take more than linear time, or a match at one place (`anchored`); None where neither can."""
    search = Search.of(pattern, flags, anchored)
    found = search.doubled()
    if found is None:
        return None
    p, q, letter = found
    where = "the start of the search" if p == search.prefix else f"the reader of {_shown(search, p)}"
    return f"{where} and the reader of {_shown(search, q)} can divide a run of {letter!r} in many ways"


def _shown(search: Search, edge: int) -> str:
    chars = sorted(search.automaton.reading[edge][1])
    return "".join(chars[:12]).__repr__() + ("..." if len(chars) > 12 else "")
