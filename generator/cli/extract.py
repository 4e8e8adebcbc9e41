"""``servebook extract``: facts of a source, got from a package that lies on disk."""

from __future__ import annotations

import zipfile
from datetime import date
from pathlib import Path

import click

from generator.cli.targets import Stop


@click.group()
def extract() -> None:
    """Write a source record with facts got from a package. Its code is read, never run."""


@extract.command("class-reads")
@click.argument("wheel", type=click.Path(path_type=Path))
def class_reads(wheel: Path) -> None:
    """Which config keys each model type's code reads, from a WHEEL of transformers."""
    from generator.authoring.extract.class_reads import class_reads_source
    from generator.authoring.yaml_writer import as_yaml

    try:
        record = class_reads_source(wheel, date.today())
    except (OSError, ValueError, zipfile.BadZipFile, SyntaxError) as problem:
        raise Stop(f"{wheel}: {problem}") from None
    click.echo("# yaml-language-server: $schema=../schema/source.schema.json\n" + as_yaml(record), nl=False)
