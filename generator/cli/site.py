"""``servebook build`` and ``serve``: the site, by MkDocs in this process."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import click

from generator.cli.revision import NoRevision, state
from generator.cli.targets import Stop, found_root, written


@click.command()
@click.option("--out", type=click.Path(path_type=Path), help="Where to build; site/ otherwise.")
@click.pass_obj
def build(root: Path | None, out: Path | None) -> None:
    """Build the site; every warning is an error. A build that fails, or is stopped, leaves the site as it was."""
    folder = found_root(root)
    _say_which(folder)
    arguments = ["build", "--strict", "--config-file", str(folder / "mkdocs.yml"), "--site-dir"]
    with written(folder, out or folder / "site") as fresh:
        _mkdocs(folder, [*arguments, str(fresh)])
    click.echo(f"wrote the site to {out or folder / 'site'}")


def _say_which(folder: Path) -> None:
    """Tell the build which commit it is of, so that every footer says so and two builds of one commit are alike."""
    with suppress(NoRevision):
        commit, seconds = state(folder)
        os.environ["SERVEBOOK_COMMIT"] = commit
        os.environ.setdefault("SOURCE_DATE_EPOCH", str(seconds))


@click.command()
@click.option("--addr", default="127.0.0.1:8000", show_default=True, help="Address and port to listen on.")
@click.pass_obj
def serve(root: Path | None, addr: str) -> None:
    """Preview the site; an edit shows at once, and a broken record shows its error on its page."""
    folder = found_root(root)
    try:
        _mkdocs(folder, ["serve", "--dev-addr", addr, "--config-file", str(folder / "mkdocs.yml")])
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise Stop(f"{addr} is in use already; name another with --addr") from None


def _mkdocs(folder: Path, arguments: list[str]) -> None:
    """Run MkDocs in this process, so that a Ctrl-C is its Ctrl-C."""
    if not (folder / "mkdocs.yml").is_file():
        raise Stop(f"{folder} has no mkdocs.yml, so there is no site to build")
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    try:
        from mkdocs.__main__ import cli as mkdocs
    except ImportError:
        raise Stop("the site needs MkDocs: `make site` sets it up, or install servebook[site]") from None
    try:
        mkdocs.main(arguments, standalone_mode=False)
    except click.exceptions.Abort:
        raise  # MkDocs has said why
    except click.ClickException:
        raise
    except SystemExit as done:
        if done.code:
            raise click.exceptions.Exit(done.code if isinstance(done.code, int) else 1) from None
