"""What a new look at a document gives: what must stay silent, what drifted, and what was only out of reach."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Base
from fake_host import FakeHost, Said, fake_host

from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.upstream.effects import effects
from generator.upstream.looks import Looker
from generator.upstream.packages import PackageIndex
from generator.upstream.places import Hosts
from generator.upstream.replies import NoReply, Spent
from generator.upstream.states import Drift, DriftOutcome
from generator.upstream.store import Store, Unusable
from generator.upstream.web import Budget, Web
from sources import source

FILE = "tiny_engine/registry.py"
OLD = b"MODELS = {'OtherForCausalLM': 1, 'TinyMlaForCausalLM': 2}\n"
SAME = b"# another file\nMODELS = {\n    'TinyMlaForCausalLM': 2,\n    'OtherForCausalLM': 1,\n}\n"
NEW = b"MODELS = {'OtherForCausalLM': 1, 'ThirdForCausalLM': 3}\n"
REGISTRY = {
    "extractor": {
        "type": "python-literal",
        "args": {"facts": {"names": {"of": ["MODELS"], "take": "keys", "sorted": True}}},
    },
    "facts": {"names": ["OtherForCausalLM", "TinyMlaForCausalLM"], "by hand": "read"},
    "locator": f"pkg:pypi/tiny-engine@1.0#{FILE}!MODELS",
}


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.at = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds


@pytest.fixture
def host() -> Iterator[FakeHost]:
    with fake_host() as running:
        running.project("pip", {"1.0": {"pip/x.py": b""}})
        yield running


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def web(tmp_path: Path, time: Time) -> Iterator[Callable[..., Web]]:
    """The way out with a clock of its own; several share one store."""
    made: list[Web] = []

    def make(**budget: Any) -> Web:
        store = Store(tmp_path / "store/drift.sqlite3")
        now = "Sun, 29 Nov 2026 10:00:00 GMT"
        made.append(Web(store, lambda: now, Budget(**{"pace": 0.0, **budget}), time, time.sleep))
        return made[-1]

    yield make
    for each in made:
        each.close()
        each.store.close()


@pytest.fixture
def look(host: FakeHost, web: Callable[..., Web]) -> Callable[..., DriftOutcome]:
    """One look at a source whose fields are given, by way of the host."""

    def look(to: str | None = None, budget: dict[str, Any] | None = None, **fields: Any) -> DriftOutcome:
        way = web(**(budget or {}))
        table = {
            forge: {
                "file": f"{host.url}/{forge}/{{repository}}/{{revision}}/{{path}}",
                "default": "HEAD",
                "repository": f"{host.url}/{forge}/{{repository}}",
                "commits": f"{host.url}/{forge}/{{repository}}/refs",
            }
            for forge in ("github", "hf")
        }
        record = Record("x", "source", "sources/x.yaml", load(source(**{**REGISTRY, **fields})))
        return Looker(way, PackageIndex(way, [f"{host.url}/simple"]), Hosts(table), to).look(record)

    return look


# --- what must stay silent ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "releases",
    [
        {"1.0": {FILE: OLD}},
        {"1.0": {FILE: OLD}, "1.1": {FILE: OLD}},
        {"1.0": {FILE: OLD}, "1.1": {FILE: SAME}},
        {"1.10": {FILE: OLD}, "1.9": {FILE: NEW}, "1.0": {FILE: OLD}},
        {"1.0": {FILE: OLD}, "2.0rc1": {FILE: NEW}},
        {"0.9": {FILE: NEW}, "1.0": {FILE: OLD}},
    ],
    ids=["no newer release", "the same bytes", "reformatted", "1.10 after 1.9", "a pre-release", "an older one"],
)
def test_a_release_that_says_the_same_is_no_news(
    host: FakeHost, look: Callable[..., DriftOutcome], releases: dict[str, dict[str, bytes]]
) -> None:
    host.project("tiny-engine", releases)
    found = look()
    assert (found.news, found.changes) == (False, ())
    assert found.state in (Drift.SAME, Drift.SUPERSEDED)


def test_a_withdrawn_release_is_none(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {FILE: NEW}}, yanked=("1.1",))
    assert look().state is Drift.SAME


def test_a_config_that_was_written_anew_is_no_news(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    config = {"extractor": {"type": "json", "args": {"pointers": [""]}}, "facts": {"layers": 4}, "complete": True}
    place = "https://huggingface.co/Tiny/A/raw/0123456789012345678901234567890123456789/config.json"
    host.says["/hf/Tiny/A/HEAD/config.json"] = Said(b'{\n "layers":   4.0 }\n')
    assert look(**config, locator=place, url=place).state is Drift.SAME


def test_what_only_a_person_can_compare_is_not_asked_for(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    page = f"{host.url}/page"
    found = look(extractor={"type": "manual"}, locator=page, url=page)
    assert (found.state, host.asked) == (Drift.NOT_COMPARABLE, [])


# --- what drifted -----------------------------------------------------------------------------------------------------


def test_the_facts_of_a_newer_release_are_compared(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {FILE: NEW}, "1.2": {FILE: SAME}})
    assert look().state is Drift.SUPERSEDED
    assert not look().news
    found = look(to="1.1")
    assert (found.state, found.news, found.edition) == (Drift.SUPERSEDED, True, "1.1")
    assert [each.told for each in found.changes] == ["names lost TinyMlaForCausalLM and gained ThirdForCausalLM"]


def test_a_member_that_moved_is_found_by_its_facts(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    other = {"tiny_engine/models/registry.py": OLD, "tiny_engine/tools/registry.py": b"X = 1\n"}
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": other})
    found = look()
    assert (found.state, found.place) == (Drift.MOVED, "pkg:pypi/tiny-engine@1.1#tiny_engine/models/registry.py")
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {"tiny_engine/registry_v2/_names.py": SAME}})
    assert look().state is Drift.MOVED


@pytest.mark.parametrize(
    ("releases", "yanked", "state"),
    [
        ({"1.0": {FILE: OLD}, "1.1": {"other.py": OLD}}, (), Drift.GONE),
        ({"1.1": {FILE: OLD}}, (), Drift.GONE),
        ({"1.0": {FILE: OLD}}, ("1.0",), Drift.YANKED),
        ({"1.0": {FILE: OLD}, "1.1": {FILE: NEW}}, ("1.0",), Drift.YANKED),
    ],
    ids=["member", "release", "withdrawn", "withdrawn and followed"],
)
def test_what_an_index_has_no_more(
    host: FakeHost, look: Callable[..., DriftOutcome], releases: Any, yanked: tuple[str, ...], state: Drift
) -> None:
    host.project("tiny-engine", releases, yanked)
    assert (look().state, look().news) == (state, True)


def test_other_bytes_under_the_same_version_are_told(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    host.project("tiny-engine", {"1.0": {FILE: OLD}})
    assert look(artifact_digest=f"sha256:{'0' * 64}").state is Drift.CHANGED
    held = host.says["/files/tiny_engine-1.0-py3-none-any.whl"]
    assert isinstance(held, Said)
    assert look(artifact_digest=f"sha256:{hashlib.sha256(held.body).hexdigest()}").state is Drift.SAME


def test_a_table_that_left_a_file_is_gone_and_a_file_that_is_none_says_nothing(
    host: FakeHost, look: Callable[..., DriftOutcome]
) -> None:
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {FILE: b"OTHER = 1\n"}})
    assert [each.told.split(" ")[0] for each in look().changes] == ["names"]
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {FILE: b"<html>"}})
    assert look().state is Drift.UNREACHABLE


AT = "https://github.com/tiny/engine/blob/0123456789abcdef0123456789abcdef01234567/registry.py"


def test_a_file_on_the_default_branch(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    def state(**says: Said) -> tuple[Drift, bool]:
        host.says |= {"/github/tiny/engine/HEAD/registry.py": says["file"], "/github/tiny/engine": says["repository"]}
        found = look(locator=AT, url=AT)
        return found.state, found.news

    there, absent = Said(b"a repository"), Said(b"", 404)
    assert state(file=Said(SAME), repository=there) == (Drift.SAME, False)
    assert state(file=Said(NEW), repository=there) == (Drift.CHANGED, True)
    assert state(file=absent, repository=there) == (Drift.GONE, True)
    assert state(file=absent, repository=Said(b"", 500)) == (Drift.UNREACHABLE, False)


def quoted(*quotes: str) -> dict[str, Any]:
    return {"extractor": {"type": "manual"}, "quotes": [{"exact": each} for each in quotes]}


def test_pages_by_their_quotes(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    page = f"{host.url}/docs/models"
    first, second = "The cache takes pages of 64 tokens.", "Only Hopper is supported."

    def state(text: str) -> Drift:
        host.says["/docs/models"] = Said(f"<html><p>{text}</p></html>".encode())
        return look(**quoted(first, second), locator=page, url=page).state

    assert state(f"News! {first}\n<b>Only</b> Hopper is   supported.") is Drift.SAME
    assert state(f"{first} Only Hopper GPUs are supported.") is Drift.REWORDED
    assert state(f"{first} All GPUs are welcome here, and nothing else is said.") is Drift.CHANGED
    assert state("Please log in.") is Drift.UNREACHABLE
    host.says["/docs/models"] = Said(b"", 404)
    assert look(**quoted(first), locator=page, url=page).state is Drift.GONE
    host.says["/"] = Said(b"", 404)
    assert look(**quoted(first), locator=page, url=page).state is Drift.UNREACHABLE


def test_a_page_that_leads_elsewhere(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    page = f"{host.url}/old"
    host.says |= {"/old": Said(b"", 301, {"location": "/new"}), "/new": Said(b"The words.")}
    found = look(**quoted("The words."), locator=page, url=page)
    assert (found.state, found.place) == (Drift.REDIRECTED, f"{host.url}/new")
    host.says |= {"/old": Said(b"", 301, {"location": "/old/"}), "/old/": Said(b"The words.")}
    assert look(**quoted("The words."), locator=page, url=page).state is Drift.SAME


# --- what was only out of reach ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        Said(b"", 500),
        Said(b"", 503),
        Said(b"", 403),
        Said(b"", 401),
        Said(b"", 404),
        Said(b"<html>captcha</html>"),
        Said(b'{"files": ['),
        Said(b'{"files": [{"filename": 3}]}'),
        Said(b"[]"),
        Said(json.dumps({"files": []}).encode(), cut=True),
        Said(b"", 429, {"retry-after": "3600"}),
        Said(b"", 302, {"location": "/simple/tiny-engine/"}),
        Said(b"x" * 5000),
    ],
)
def test_an_index_that_says_nothing_is_no_witness(
    host: FakeHost, look: Callable[..., DriftOutcome], said: Said
) -> None:
    host.says["/simple/tiny-engine/"] = said
    host.says["/simple/pip/"] = Said(b"", 404)
    found = look(budget={"largest": 4000})
    assert (found.state, found.news) == (Drift.UNREACHABLE, False)


def test_a_project_is_gone_only_where_another_is_found(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    assert look().state is Drift.GONE
    del host.says["/simple/pip/"]
    assert look().state is Drift.UNREACHABLE


@pytest.mark.parametrize(
    "said",
    [Said(b"no zip"), Said(b"", 404), Said(b"x" * 100_000), Said(b"PK\x05\x06", cut=True), Said(b"zip", ranges=False)],
)
def test_a_wheel_that_cannot_be_read_says_nothing(
    host: FakeHost, look: Callable[..., DriftOutcome], said: Said
) -> None:
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {FILE: NEW}})
    host.says["/files/tiny_engine-1.1-py3-none-any.whl"] = said
    assert look().state is Drift.UNREACHABLE


def test_a_host_that_is_not_there(web: Callable[..., Web]) -> None:
    with pytest.raises(NoReply):
        web().get("http://127.0.0.1:9/nothing")
    for address in ("http://[::bad", "file:///etc/passwd", "nothing", "http://"):
        with pytest.raises(NoReply):
            web().get(address)


# --- requests ---------------------------------------------------------------------------------------------------------


def test_of_a_large_wheel_only_parts_are_read(host: FakeHost, look: Callable[..., DriftOutcome]) -> None:
    noise = b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(60_000))
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {"a.so": noise, FILE: NEW, "b.so": noise}})
    assert look().news
    asked = [headers["range"] for path, headers in host.asked if path.endswith(".whl")]
    assert 0 < len(asked) <= 4
    assert all(headers.get("accept-encoding") == "identity" for path, headers in host.asked if path.endswith(".whl"))


def test_a_reply_is_asked_for_again_only_if_it_has_changed(host: FakeHost, web: Callable[..., Web]) -> None:
    host.says["/doc"] = Said(b"first", headers={"etag": '"1"'})
    assert web().get(f"{host.url}/doc").body == b"first"
    assert web().get(f"{host.url}/doc").body == b"first"
    assert [headers.get("if-none-match") for path, headers in host.asked] == [None, '"1"']
    host.says["/doc"] = Said(b"second", headers={"etag": '"2"'})
    assert web().get(f"{host.url}/doc").body == b"second"


def test_a_busy_host_is_waited_for(host: FakeHost, web: Callable[..., Web], time: Time) -> None:
    host.says["/doc"] = [Said(b"", 429, {"retry-after": "7"}), Said(b"", 503), Said(b"at last")]
    assert web().get(f"{host.url}/doc").body == b"at last"
    assert time.slept == [7.0, 4.0]
    later = "Sun, 29 Nov 2026 10:00:30 GMT"
    host.says["/other"] = [Said(b"", 503, {"retry-after": later}), Said(b"at last")]
    assert web().get(f"{host.url}/other").body == b"at last"
    assert time.slept[-1] == 30.0


def test_a_host_is_asked_once_in_a_while_and_another_at_once(
    host: FakeHost, web: Callable[..., Web], time: Time
) -> None:
    host.says |= {f"/{name}": Said(b"x") for name in "abc"}
    way = web(pace=2.0)
    for name in "abc":
        way.get(f"{host.url}/{name}")
    assert time.slept == [2.0, 2.0]
    way.get(f"{host.url}/a")
    assert len(host.asked) == 3, "what was asked for in this run is known"
    way.get(host.url.replace("127.0.0.1", "localhost") + "/a")
    assert time.slept == [2.0, 2.0]


def test_a_budget_ends_a_run(host: FakeHost, web: Callable[..., Web]) -> None:
    host.says |= {"/a": Said(b"x" * 100), "/b": Said(b"x")}
    way = web(bytes=50)
    way.get(f"{host.url}/a")
    with pytest.raises(Spent):
        way.get(f"{host.url}/b")
    slow = web(seconds=5.0, pace=10.0)
    slow.get(f"{host.url}/a")
    with pytest.raises(Spent):
        slow.get(f"{host.url}/b")


def test_a_store_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no database, but longer than its head is" * 10)
    with pytest.raises(Unusable):
        Store(tmp_path / "x")
    with pytest.raises(Unusable):
        Store(tmp_path / "x/below")


# --- what it would change -----------------------------------------------------------------------------------------


def test_what_a_drift_would_change_on_the_site(tiny: Base, host: FakeHost, web: Callable[..., Web]) -> None:
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {FILE: NEW}})
    kb, way = tiny.read(), web()
    outcome = Looker(way, PackageIndex(way, [f"{host.url}/simple"]), Hosts({})).look(
        kb.catalog.records["tiny-engine-registry"]
    )
    found = effects(kb, outcome)
    assert found is not None
    (group,) = found.cells
    assert (group.before, group.after, group.models) == ("listed", "not-listed", ("tiny-a", "tiny-b"))
