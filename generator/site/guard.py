"""What MkDocs may empty, and what it may publish: it asks nobody itself."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from generator.catalog.disk.authored import tree
from generator.catalog.disk.output import Occupied, mark, refuse_foreign


def guard(root: Path, config: MkDocsConfig) -> None:
    """Raise `PluginError` unless the output folder is ours and no link leads out of the folders that are published."""
    try:
        refuse_foreign(root, Path(config.site_dir))
    except Occupied as problem:
        raise PluginError(f"servebook: {problem}") from None
    mark(root, Path(config.site_dir))
    for folder in map(Path, filter(None, (config.docs_dir, config.theme.custom_dir))):
        for barred in tree(folder.parent, folder.name).barred:
            raise PluginError(f"servebook: {folder.parent / barred.path}: {barred.why}; nothing is published")
