"""The command line: arguments, clock, terminal and exit status. Everything else happens elsewhere.

Exit status: 0 fine, 1 findings at error level (or nothing derivable), 2 usage or environment.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from generator import __version__
from generator.cli.ask import graph, kv, show, why
from generator.cli.judge import explain, validate
from generator.cli.site import build, serve
from generator.cli.write import fix, materialise, new, review, schema

COMMANDS = (validate, explain, fix, kv, why, show, graph, new, review, schema, materialise, build, serve)


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
    """Run the command; an interrupt leaves nothing half-written and ends with the shell's status for it."""
    try:
        sys.exit(cli.main(prog_name="servebook", standalone_mode=False))  # click returns the status of an Exit
    except click.exceptions.Abort:
        click.echo("servebook: interrupted; no file is half-written", err=True)
        sys.exit(130)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # head has what it wanted
        sys.exit(0)
