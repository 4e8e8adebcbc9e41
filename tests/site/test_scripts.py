"""The scripts of the pages: typed by JSDoc, and checked as strictly as the checker can."""

from __future__ import annotations

import os
import subprocess

import pytest
from conftest import HERE, ROOT

TSC = HERE / "npm/node_modules/typescript/bin/tsc"
SCRIPTS = sorted((ROOT / "templates/assets").glob("*.js"))
STRICT = ("--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module", "es2022")
LIBRARIES = ("--lib", "es2023,dom,dom.iterable", "--skipLibCheck")


def test_the_scripts_keep_their_types() -> None:
    if not TSC.is_file():
        if os.environ.get("CI") == "true":
            pytest.fail("TypeScript is not installed: run .ci/npm")
        pytest.skip("TypeScript is not installed: run .ci/npm")
    done = subprocess.run(["node", TSC, *STRICT, *LIBRARIES, *SCRIPTS], capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert SCRIPTS


def test_what_every_page_loads_stays_small() -> None:
    assert (ROOT / "templates/assets/servebook.js").stat().st_size < 14_000
