"""The grammar of citations, row by row, and against Markdown itself."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt, helpers
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from work import assert_linear

from generator.notation.citations import find, replace, retargeted, whole, write

# --- the grammar ----------------------------------------------------------------------------------------------------

SILENT = {
    "no brackets at all": "plain text",
    "single brackets": "see [a] and [b](c)",
    "closing brackets alone": "a[b[0]] = c]]",
    "escaped by a backslash": "write \\[[a]] to show it",
    "escaped by three backslashes": "\\\\\\[[a]]",
    "in a code span": "as `[[a]]` does",
    "in a code span of two backticks": "as `` ` [[a]] `` does",
    "in a code span over two lines": "as `x\n[[a]]` does",
    "in a code span in a list": "- as `[[a]]` does",
    "in a code span in a table": "| x |\n|---|\n| `[[a]]` |",
    "in a fenced block": "```sh\nif [[ -f x ]]; then\n```",
    "in a fence of tildes": "~~~\n[[a]]\n~~~",
    "in a fence that is never closed": "```\n[[a]]",
    "in a fence in a list": "- x\n\n  ```\n  [[a]]\n  ```",
    "in an indented block": "x\n\n    [[a]]",
    "in a block indented by a tab": "x\n\n\t[[a]]",
    "in an indented block in a list": "-     [[a]]",
    "in a comment": "x <!-- [[a]] --> y",
    "in a comment over two lines": "x <!-- [[a]]\n[[b]] --> y",
    "in a comment of its own": "<!--\n\n[[a]]\n\n-->",
    "in a tag": 'x <a title="[[a]]"> y',
    "in an address": "<https://x.example/?q=[[a]]>",
    "in the text of a link": "[see [[a]] there](https://x.example)",
    "at the end of a link's text": "[see [[a]]](https://x.example)",
    "in the text of a link by reference": "[see [[a]]][r]\n\n[r]: https://x.example",
    "as the text of a link": "[[1]](https://x.example)",
    "in the address of a link": "[x](<[[a]]>)",
    "in the title of a link": '[x](y "[[a]]")',
    "in the text of an image": "![see [[a]]](x.png)",
    "no id, as the text of a link": "[[the paper]](https://x.example)",
    "no id, at the end of a link's text": "[see [[Fig. 2]]](https://x.example)",
    "a link in brackets": "[[the paper](https://x.example)]",
    "in the definition of a reference": "[r]: <[[a]]>",
}

READ = {
    "an id": ("[[deepseek-v2]]", "deepseek-v2", None, None, None),
    "an id of digits": ("[[1]]", "1", None, None, None),
    "with a label": ("[[a|the model]]", "a", None, None, "the model"),
    "with a label that holds a bar": ("[[a|b|c]]", "a", None, None, "b|c"),
    "with a label in a table": ("[[a\\|b]]", "a", None, None, "b"),
    "with a label in code": ("[[a|`b`]]", "a", None, None, "`b`"),
    "with a label outside of ASCII": ("[[a|größer 😀]]", "a", None, None, "größer 😀"),
    "with a fragment": ("[[a#num_hidden_layers]]", "a", None, "num_hidden_layers", None),
    "with a fragment of all signs": ("[[a#B.c-d_0]]", "a", None, "B.c-d_0", None),
    "with a kind": ("[[model/a]]", "a", "model", None, None),
    "with everything": ("[[model/a-1#x|y]]", "a-1", "model", "x", "y"),
}

MALFORMED = {
    "blanks": "[[ a ]]",
    "a test of bash": "[[ -f x ]]",
    "nothing": "[[]]",
    "an empty label": "[[a|]]",
    "a label of blanks": "[[a| ]]",
    "an empty id": "[[|a]]",
    "an empty fragment": "[[a#]]",
    "a fragment alone": "[[#a]]",
    "capitals": "[[DeepSeek-V2]]",
    "an underscore": "[[deepseek_v2]]",
    "two hyphens": "[[a--b]]",
    "a hyphen at the end": "[[a-]]",
    "two kinds": "[[a/b/c]]",
    "a file": "[[a.yaml]]",
    "letters outside of ASCII": "[[größe]]",
    "a bracket too many": "[[a]]]",
    "three brackets": "[[[a]]]",
    "four brackets": "[[[[a]]]]",
    "a bracket in the label": "[[a|b]c]]",
    "a list": "[[a, b]]",
    "a tab": "[[a\t]]",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_text_that_is_no_citation(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize(("text", "id", "kind", "fragment", "label"), READ.values(), ids=READ)
def test_a_citation_in_all_its_parts(
    text: str, id: str, kind: str | None, fragment: str | None, label: str | None
) -> None:
    for before, after in (
        ("", ""),
        ("see ", "."),
        ("(", ")"),
        ("*", "*"),
        ("# ", ""),
        ("> ", ""),
        ("a", "b"),
        ("`x` ", ""),
    ):
        (mention,) = find(before + text + after)
        assert (mention.id, mention.kind, mention.fragment, mention.label) == (id, kind, fragment, label)
        assert (mention.start, mention.end, mention.raw) == (len(before), len(before + text), text)
        assert mention.problem is None
    assert whole(text) == find(text)[0]
    assert write(find(text)[0].target, label) == text.replace("\\|", "|")


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_anything_else_in_brackets_is_one_malformed_citation(text: str) -> None:
    (mention,) = find(f"see {text} here")
    assert mention.problem
    assert (mention.id, mention.raw) == ("", text)


SEVERAL = {
    "side by side": ("[[a]][[b]]", ["[[a]]", "[[b]]"]),
    "on one line, not greedily": ("[[a]] and [[b]]", ["[[a]]", "[[b]]"]),
    "behind an escaped one": ("\\[[a]] [[b]]", ["[[b]]"]),
    "behind two backslashes": ("\\\\[[a]]", ["[[a]]"]),
    "behind an escaped bracket": ("\\[[[a]]", ["[[a]]"]),
    "after one that is not closed": ("[[a [[b]]", ["[[", "[[b]]"]),
    "not closed on its line": ("[[a\n]] [[b]]", ["[[", "[[b]]"]),
    "not closed at all": ("see [[a", ["[["]),
    "behind code that opens one": ("`[[` opens [[a]]", ["[[a]]"]),
    "behind code that holds a half": ("`x [[a` b]] [[c]]", ["[[c]]"]),
    "behind a backtick alone": ("a ` and [[a]]", ["[[a]]"]),
    "behind an escaped backtick": ("\\`[[a]]`", ["[[a]]"]),
    "behind a backtick in what is no citation": ("[[a|`x]]] [[b|`y]]", ["[[a|`x]]]"]),
    "between backticks of unlike length": ("``[[a]]`", ["[[a]]"]),
    "in two cells of a table": ("| x | y |\n|---|---|\n| [[a\\|b]] | ` [[c]] |", ["[[a\\|b]]", "[[c]]"]),
    "behind what looks like a link": ("[see [[a]] there](not an address)", ["[[a]]"]),
    "before parentheses that are no address": ("[[a]](see there)", ["[[a]]"]),
    "behind a comment on its line": ("<!-- x --> [[a]]", ["[[a]]"]),
    "in a line that HTML begins": ("<div>\n[[a]]\n</div>", ["[[a]]"]),
    "behind a form feed and a line separator": ("`x`\x0c\u2028 `[[a]]` [[b]]", ["[[b]]"]),
    "with CRLF": ("`[[a]]`\r\n[[b]]\r\n", ["[[b]]"]),
    "in a quotation": ("> `[[a]]`\n> [[b]]", ["[[b]]"]),
    "in text that holds our own marks": ("\ue0000\ue000 `[[a]]` [[b]]", ["[[b]]"]),
}


@pytest.mark.parametrize(("text", "raws"), SEVERAL.values(), ids=SEVERAL)
def test_several_in_one_text(text: str, raws: list[str]) -> None:
    assert [mention.raw for mention in find(text)] == raws


NOT_WHOLE = ["", "a", "[[a]] ", " [[a]]", "[[a]][[b]]", "see [[a]]", "\\[[a]]"]


@pytest.mark.parametrize("text", NOT_WHOLE)
def test_a_field_that_is_more_or_less_than_a_citation(text: str) -> None:
    assert whole(text) is None


def test_replacing_and_retargeting_touch_nothing_else() -> None:
    text = "x [[a|b]] `[[c]]` [[model/d#e]] y"
    assert replace(text, find(text), ["1", "2"]) == "x 1 `[[c]]` 2 y"
    again = [retargeted(mention, "new") for mention in find(text)]
    assert replace(text, find(text), again) == "x [[new|b]] `[[c]]` [[new]] y"
    assert retargeted(find("[[de|model/de]]")[0], "x") == "[[x|model/de]]"
    assert retargeted(find("[[a\\|b]]")[0], "x") == "[[x\\|b]]"


@given(st.text("[]ab|\\#/ `-\n", max_size=30))
def test_a_mention_is_what_stands_between_its_ends(text: str) -> None:
    at = 0
    for mention in find(text):
        assert text[mention.start : mention.end] == mention.raw
        assert mention.start >= at
        assert (mention.problem is None) == bool(mention.id)
        at = mention.end


# --- Markdown as the judge ------------------------------------------------------------------------------------------
# An inline rule of markdown-it sees a citation where Markdown, reading from left to right, has come to its brackets:
# code, HTML and links are settled by Markdown and not by us.

ID = r"[a-z0-9]+(?:-[a-z0-9]+)*"
CITATION = re.compile(rf"\[\[(?:[a-z]+/)?{ID}(?:#[\w.-]+)?(?:\\?\|[^\[\]\n]*[^\[\]\n\s][^\[\]\n]*)?\]\](?!\])", re.A)


def _rule(state: StateInline, silent: bool) -> bool:
    found = CITATION.match(state.src, state.pos)
    if found is None or state.src[state.pos - 1 : state.pos] == "[":
        return False
    if state.src.startswith("(", found.end()) and _is_link(state.src[state.pos :]):
        return False
    if not silent:
        state.push("citation", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _is_link(text: str) -> bool:
    first = MarkdownIt("commonmark").parseInline(text)[0].children
    return bool(first) and first[0].type == "link_open"


class _Helpers:
    """Markdown-it's own, but a citation in the text of a link is no link in a link, and so does not undo it."""

    parseLinkDestination = staticmethod(helpers.parseLinkDestination)  # noqa: N815
    parseLinkTitle = staticmethod(helpers.parseLinkTitle)  # noqa: N815

    @staticmethod
    def parseLinkLabel(state: StateInline, start: int, disable_nested: bool = False) -> int:  # noqa: N802
        before, level = state.pos, 1
        state.pos = start + 1
        while state.pos < state.posMax:
            at, sign = state.pos, state.src[state.pos]
            level -= sign == "]"
            if level == 0:
                break
            state.md.inline.skipToken(state)
            if sign == "[" and state.pos == at + 1:
                level += 1
            elif sign == "[" and disable_nested and not CITATION.fullmatch(state.src, at, state.pos):
                level = -1
                break
        end = state.pos if level == 0 else -1
        state.pos = before
        return end


def judged(text: str) -> list[str]:
    """The citations that a reader of the rendered page would meet, by the rule above."""
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.inline.ruler.before("link", "citation", _rule)
    markdown.helpers = _Helpers()  # type: ignore[assignment]
    return [raw for token in markdown.parse(text) for raw in _citations(token.children or [])]


def _citations(children: list[Token]) -> list[str]:
    depth, found = 0, []
    for child in children:
        depth += {"link_open": 1, "link_close": -1}.get(child.type, 0)
        if child.type == "citation" and depth == 0:
            found.append(child.content)
    return found


PIECES = st.sampled_from(
    [
        *("[[a]]", "[[a-b|label]]", "[[model/c#d]]", "[[a|`x]]", "[[a|x` y]]", "[[a|<b>]]"),
        *("`", "``", "`code`", "`[[x]]`", "`[[", "]]`", "\\`", "\\[[a]]", "\\\\"),
        *("[", "]", "](u)", "](not a url)", "[t](u)", "![", "[t [[y]]](u)", "(u)", "(x y)"),
        *("<!-- ", " -->", "<!-- [[z]] -->", "<b>", '<a t="[[q]]">', "<", ">", "<http://x/[[w]]>"),
        *("word", " ", " ", "\n", "\n\n", "*", "**", "_"),
    ]
)
LINES = st.lists(PIECES, min_size=1, max_size=9).map("".join)
BLOCKS = st.one_of(
    LINES.map(lambda text: f"x {text}"),
    LINES.map(lambda text: f"- {text}"),
    LINES.map(lambda text: f"> {text}"),
    LINES.map(lambda text: f"# {text}"),
    LINES.map(lambda text: f"```\n{text}\n```"),
    LINES.map(lambda text: f"~~~ x\n{text}\n~~~"),
    LINES.map(lambda text: f"    {text}"),
    LINES.map(lambda text: "| h | i |\n|---|---|\n| " + text.replace("\n", " ").replace("|", "\\|") + " | [[n]] |"),
)


@given(st.lists(BLOCKS, min_size=1, max_size=4).map("\n\n".join))
@example("x `[[a]] [[b]]` [[c]]")
@example("x [t [[a]] [[b]](u)")
@example("x ![``[[a|`x]]](u)[[a|`x]]")
@example("x [[a|`x]](u)[[a|`x]]")
@example("x ![[a|`x]](u`y)[[a|`x]]")
@example("x [[a|`x]](u)[[a|`x]](u)")
@example("x ![`[[a|`x]][[a]][[a]]](u)")
def test_markdown_agrees_on_what_is_text(text: str) -> None:
    if re.search(r"^ {0,3}(?:[->] *)*</?(?:b|a)\b|^\s*(?:[->] *)*<!--", text, re.M):
        return  # a block of HTML: its text is prose to us, and opaque to Markdown
    mentions = find(text)
    if any(mention.problem for mention in mentions):
        return  # it is refused as a whole
    found = [mention.raw.replace("\\|", "|") for mention in mentions]
    assert found == [raw.replace("\\|", "|") for raw in judged(text)]


HOSTILE: dict[str, Callable[[int], str]] = {
    "citations alone": lambda n: "[[a]]" * n,
    "brackets that are never closed": lambda n: "[[ " * n,
    "brackets that are closed at the end": lambda n: "[[ " * n + "]]",
    "a wall of brackets": lambda n: "[" * n + "`",
    "code and citations": lambda n: "`[[a]]` " * n,
    "links that end and never begin": lambda n: "](" * n + "[[a]]",
    "citations before parentheses": lambda n: "[[a]](x " * n,
    "citations that are links": lambda n: "[[a]](x) " * n,
    "no citations before parentheses": lambda n: "[[a b]](x " * n,
    "backticks of every length": lambda n: "".join("`" * (k + 1) + "[[a]]" for k in range(int(n**0.5) * 2)),
    "backslashes": lambda n: "\\" * n + "[[a]]`",
    "comments that never end": lambda n: "<!--" * n + "[[a]]",
    "comments that never end, in a line": lambda n: "x " + "<!-- " * n + "[[a]]",
    "links in links": lambda n: "[a](b" * n + "[[a]]",
    "emphasis": lambda n: "*a_ " * n + "[[a]]`",
}


@pytest.mark.parametrize("shape", HOSTILE.values(), ids=HOSTILE)
def test_the_work_for_hostile_prose_grows_with_its_length_only(shape: Callable[[int], str]) -> None:
    assert_linear(find, shape, 1_500)
