"""The MkDocs skin: puts the pages into a MkDocs build, and nothing else.

In a build an error in any record stops everything: no page with a wrong number is published. In the live preview
nothing stops: a broken record shows its error on its page.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from markupsafe import escape
from mkdocs.config.base import Config
from mkdocs.config.config_options import Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as MkDocsPage

from generator.catalog.disk.authored import contents
from generator.catalog.read import NoKnowledgeBase, read
from generator.catalog.shipped import shipped
from generator.catalog.yaml.document import Unreadable
from generator.checks import CHECKS, judge
from generator.checks.run import judge_all
from generator.checks.unused_waiver import unused_waiver
from generator.findings import Finding, Severity, failure
from generator.knowledge.knowledge_base import KnowledgeBase, assemble
from generator.notation.plain import plain
from generator.site import pages
from generator.site.edition import Edition
from generator.site.guard import guard
from generator.site.html import prose as typesetting
from generator.site.html import render
from generator.site.html.links import Style, resolved
from generator.site.html.page import Page
from generator.site.html.policy import ContentPolicy
from generator.site.machine.files import machine_files
from generator.site.machine.markdown import twin
from generator.site.memory import Memory
from generator.site.navigation import contents_of, titles
from generator.site.preview import Preview
from generator.site.search_index import NAME as INDEX
from generator.site.search_index import search_index
from generator.site.site import Site

log = logging.getLogger("mkdocs.plugins.servebook")

ASSETS = ("servebook.css", "servebook.js", "search.js")
WATCHED = ("records", "sources", "schema", "templates")
TOLD = 20
"""So many findings are listed when a build is refused."""


class Options(Config):  # type: ignore[no-untyped-call]
    """What mkdocs.yml may set: the knowledge base, where it is not the folder of mkdocs.yml."""

    root = Type(str, default="")


class ReadyPage(MkDocsPage):
    """A page whose HTML is ready: Markdown never sees it."""

    def __init__(self, page: Page, title: str | None, file: File, config: MkDocsConfig, style: Style) -> None:
        super().__init__(title, file, config)
        self.ready, self.style, self.body = page, style, ""
        self.unchanged = False

    def read_source(self, config: MkDocsConfig) -> None:
        """Nothing is read; what the theme wants to know is set. The theme escapes nothing, so it gets escaped text."""
        self.markdown = ""
        self.meta = {"description": escape(self.ready.description), "hide": list(self.ready.hide)}
        self.meta["twin"] = twin(self.ready.path, self.style).rpartition("/")[2]
        self.meta["search"] = {"boost": self.ready.boost} if self.ready.search else {"exclude": True}
        if not self.is_homepage:
            self.meta["title"] = escape(self.ready.title)

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """The body with its addresses made relative, and its table of contents; nothing for a page that stays."""
        if self.unchanged:
            self.content, self.meta["template"] = "", "unchanged.html"
            return
        self.content = self.body = resolved(self.ready.html, self.ready.path, self.style)
        self.toc = contents_of(self.ready.toc)
        self.present_anchor_ids = set(self.ready.anchors)


class ServebookPlugin(BasePlugin[Options]):  # type: ignore[no-untyped-call]
    """Reads the knowledge base next to mkdocs.yml and adds its pages to the site."""

    def __init__(self) -> None:
        super().__init__()
        self.serving = False
        self.env: Any = None
        self.preview = Preview()
        self.expected: set[str] = set()
        self.site: Site | None = None
        self.edition: Edition | None = None
        self.shared: Any = None
        self.memory = Memory()
        self.pages: dict[str, Page] = {}
        self.policy: ContentPolicy | None = None
        self.root = Path()

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Being told the command also keeps this instance alive between the builds of one preview."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read everything anew; refuse to build on errors, unless this is a preview."""
        self.root = Path(config.config_file_path).parent / self.config.root
        guard(self.root, config)
        config.extra_css.append("assets/servebook.css")
        config.extra_javascript.append("assets/servebook.js")
        config.theme.dirs.append(str(shipped("templates") / "skin"))
        try:
            self._read()
        except (NoKnowledgeBase, pages.PagesFailed) as problem:
            self._stop_or_tell(str(problem))
        except PluginError:
            raise
        except Exception as error:
            self._stop_or_tell(f"reading the records failed inside ({failure(error)}): please report it")
        config.extra["servebook"] = self.edition
        return config

    def _stop_or_tell(self, problem: str) -> None:
        """Stop a build; a preview goes on with what it showed before, if it has shown anything."""
        if not self.serving or self.site is None:
            raise PluginError(f"servebook: {problem}") from None
        log.warning("servebook: %s; the pages are those from before", problem)

    def _read(self) -> None:
        before = self.site.kb.catalog if self.site else None
        kb = assemble(read(self.root, before=before), date.today())
        errors = [found for found in self._judge(kb) if found.severity is Severity.ERROR]
        if errors and not self.serving:
            raise PluginError(refusal(errors))
        for found in errors[:TOLD]:
            log.info("%s", plain(f"{found.location} {found.code} {render.clip(found.message, 300)}"))
        site = Site(kb, tuple(errors), self._texts(kb, errors), self._memory(kb))
        self.pages = {page.path: page for page in (pages.build_site if self.serving else pages.whole)(site)}
        self.site = site
        self.edition = Edition.of(site, {} if self.serving else os.environ)
        for failed in site.failures:
            log.warning("servebook: %s", failed)

    def _judge(self, kb: KnowledgeBase) -> Sequence[Finding]:
        """All findings; in a preview those of the checks that can stop a build, for they are what it shows."""
        if not self.serving:
            return judge(kb).findings
        stopping = [check for check in CHECKS if check.severity is Severity.ERROR]
        codes = {check.code for check in stopping}
        return [
            found
            for found in judge_all(kb, stopping, unused_waiver).findings
            if found.code != unused_waiver.code or any(code in found.message for code in codes)
        ]

    def _memory(self, kb: KnowledgeBase) -> Memory | None:
        """The pages of the build before, unless something changed that they all rest on."""
        if not self.serving:
            return None
        shared = (
            self.root,
            _latest(shipped("templates")),
            kb.catalog.schemas,
            kb.catalog.kinds,
            kb.catalog.redirects,
            kb.catalog.tables,
        )
        if self.shared != shared:
            self.shared, self.memory = shared, Memory()
        return self.memory

    def _texts(self, kb: KnowledgeBase, errors: list[Finding]) -> Mapping[str, str]:
        """The text of the files that could not be read as records, for the excerpts shown with their errors."""
        known, texts = {record.path for record in kb.catalog.records.values()}, {}
        for path in {found.location.path for found in errors} - known:
            with suppress(OSError, Unreadable):
                texts[path] = contents(self.root, path).decode("utf-8", "replace")
        return texts

    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Add the pages that docs/ does not have by hand, and the assets."""
        style = _style(config)
        named, frame = dict(titles(config.nav)), self._frame(config)
        for page in self.pages.values():
            if files.get_file_from_path(page.path) is None:
                wanted = page.in_nav and (config.nav is None or page.path in named)
                level = InclusionLevel.INCLUDED if wanted else InclusionLevel.NOT_IN_NAV
                file = File.generated(config, page.path, content="", inclusion=level)
                files.append(file)
                ready = ReadyPage(page, named.get(page.path), file, config, style)
                ready.unchanged = self.serving and self.preview.unchanged(page.path, (frame, page))
        for name in ASSETS:
            path = shipped("templates") / "assets" / name
            files.append(File.generated(config, f"assets/{name}", abs_src_path=str(path)))
        if self.site is not None:
            index = search_index(self.site, self.pages.values(), style)
            files.append(File.generated(config, INDEX, content=index))
        return files

    def _frame(self, config: MkDocsConfig) -> Hashable:
        """What surrounds every page, as far as it can change between two builds of a preview."""
        listed = tuple((page.path, page.title) for page in self.pages.values() if page.in_nav)
        theme = Path(config.theme.custom_dir) if config.theme.custom_dir else shipped("templates")
        settings = Path(config.config_file_path).stat().st_mtime_ns
        return self.edition, listed, settings, _latest(theme), self.shared and self.shared[1]

    def on_page_markdown(self, markdown: str, page: MkDocsPage, config: MkDocsConfig, files: Files) -> str:
        """Citations in hand-written pages, by the same resolver."""
        if isinstance(page, ReadyPage) or "[[" not in markdown or self.site is None:
            return markdown
        return typesetting.document(self.site, markdown, page.file.src_uri, _style(config))

    def on_env(self, env: Any, config: MkDocsConfig, files: Files) -> Any:
        """In a preview, keep the theme's compiled templates."""
        self.expected = {file.dest_uri for file in files.documentation_pages()}
        if not self.serving:
            return env
        self.env = self.env or env
        self.env.auto_reload = True
        return self.env

    @event_priority(-100)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Put what was written where the preview serves it; to a built site add what is published for programs."""
        if self.serving:
            self.preview.built(Path(config.site_dir), self.expected)
        elif self.site is not None and self.edition is not None:
            url, style = str(config.site_url or ""), _style(config)
            for name, text in machine_files(self.site, self.pages.values(), self.edition, style, url):
                path = Path(config.site_dir, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")

    def on_serve(self, server: LiveReloadServer, config: MkDocsConfig, builder: Any) -> LiveReloadServer:
        """Rebuild when a record, a source, a schema or a template changes, and write only pages that change."""
        server.root = str(self.preview.start(Path(config.site_dir)))
        folders = [self.root / name for name in WATCHED] + [shipped("templates"), shipped("schema")]
        for folder in dict.fromkeys(folder.resolve() for folder in folders):
            if folder.is_dir():
                server.watch(str(folder))
        return server

    def on_post_page(self, output: str, page: MkDocsPage | None, config: MkDocsConfig) -> str:
        """The content policy; not in a preview, into which MkDocs writes the script that reloads the page."""
        self.policy = self.policy or ContentPolicy.of(config.theme.dirs)
        return output if self.serving or not output else self.policy.written_into(output)

    def on_post_template(self, output: str, template_name: str, config: MkDocsConfig) -> str:
        """The same for the page of what is not found."""
        return self.on_post_page(output, page=None, config=config) if template_name.endswith(".html") else output

    @event_priority(100)
    def _for_search(self, context: Any, page: MkDocsPage, config: MkDocsConfig, nav: Navigation) -> Any:
        """The search index, which reads the content between these two, gets the few words that the page has for it."""
        if isinstance(page, ReadyPage):
            page.content = page.ready.search
        return context

    @event_priority(-100)
    def _for_readers(self, context: Any, page: MkDocsPage, config: MkDocsConfig, nav: Navigation) -> Any:
        if isinstance(page, ReadyPage):
            page.content = page.body
        return context

    on_page_context = CombinedEvent(_for_search, _for_readers)


def refusal(errors: list[Finding]) -> str:
    """Why nothing is built: every error with its place."""
    lines = [plain(f"{found.location} {found.code} {found.message}") for found in errors[:TOLD]]
    more = f"\nand {len(errors) - TOLD} more" if len(errors) > TOLD else ""
    count = f"{len(errors)} error{'' if len(errors) == 1 else 's'}"
    return f"servebook: {count} in the records, so nothing is built:\n" + "\n".join(lines) + more


def _style(config: MkDocsConfig) -> Style:
    return Style.DIRECTORY if config.use_directory_urls else Style.HTML


def _latest(folder: Path) -> int:
    """When something in a folder changed last."""
    return max((path.stat().st_mtime_ns for path in folder.rglob("*")), default=0)
