"""The command line: arguments, clock, terminal and exit status. Everything else happens elsewhere.

Exit status: 0 fine, 1 findings at error level (or nothing derivable), 2 usage or environment.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import click

from generator import __version__
from generator.cli.ask import graph, kv, show, why
from generator.cli.diff import diff
from generator.cli.drift import drift
from generator.cli.extract import extract
from generator.cli.judge import explain, validate
from generator.cli.output.streams import guard
from generator.cli.serving import ask
from generator.cli.site import build, serve
from generator.cli.survey import gaps, stats, where
from generator.cli.targets import reason_of
from generator.cli.write import fix, materialise, new, review, schema
from generator.findings import failure

TRACEBACK = "SERVEBOOK_TRACEBACK"
"""An environment variable, for developers of the generator."""

COMMANDS = (
    *(validate, explain, fix, kv, why, ask, show, graph, diff, drift),
    *(stats, where, gaps, new, review, schema, materialise, build, serve, extract),
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="servebook")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="The knowledge base; otherwise the nearest folder at or above this one with records/ and sources/.",
)
@click.pass_context
def cli(context: click.Context, root: Path | None) -> None:
    """A knowledge base about serving large language models, and the generator that keeps it honest."""
    context.obj = root


for command in COMMANDS:
    cli.add_command(command)


def main() -> None:
    """Run the command; whatever stops it leaves nothing half-written, says so in a line and ends with its status."""
    guard()
    ended: list[int] = []

    def end(number: int, frame: object) -> None:
        """Whatever undoes half-written files on a Ctrl-C does so here as well."""
        ended.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    status = _run()
    sys.exit(143 if ended else status)


def _run() -> int:
    """The exit status of the command, with a message on stderr where it is not its own."""
    try:
        status = cli.main(prog_name="servebook", standalone_mode=False)  # click returns the status of an Exit
        if sys.stdout is not None:
            sys.stdout.flush()
        return int(status or 0)
    except click.exceptions.Abort:
        click.echo("servebook: interrupted; no file is half-written", err=True)
        return 130
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except BrokenPipeError:
        _drop_output()  # head has what it wanted
        return 0
    except OSError as error:
        _drop_output()
        click.echo(f"servebook: {reason_of(error)}", err=True)
        return 2
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        more = f"{TRACEBACK}=1 shows where"
        click.echo(f"servebook: failed inside ({failure(error)}): please report it; {more}", err=True)
        return 2


def _drop_output() -> None:
    """What is still to be written goes nowhere: the place for it is full or gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
