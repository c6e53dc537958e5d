"""What the website takes from npm's packages: pinned, and linked so that a browser needs no bundler."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from loaderlab.publish import browser_modules
from loaderlab.publish.browser_modules import linked
from places import ROOT

MODULES = ("@codemirror/view", "crelt")


def put(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")


def test_the_website_has_pyodide_and_the_modules_that_a_browser_can_import(tmp_path: Path) -> None:
    for name in browser_modules._PYODIDE:
        put(tmp_path / "pyodide" / name, name)
    put(tmp_path / "pyodide" / "package.json", json.dumps({"exports": {".": {"import": "./pyodide.mjs"}}}))
    for name, text in (("@codemirror/view", "import 'crelt';"), ("crelt", "export default 1;")):
        exports = {"import": "./dist/index.js", "require": "./dist/index.cjs"}
        put(tmp_path / name / "package.json", json.dumps({"exports": exports}))
        put(tmp_path / name / "dist" / "index.js", text)
    put(tmp_path / "ws" / "package.json", "{}")
    found = browser_modules.files(tmp_path)
    assert {place for place in found if not place.startswith("pyodide/")} == {
        "editor/codemirror-view.js",
        "editor/crelt.js",
    }
    assert found["editor/codemirror-view.js"] == b"import './crelt.js';"
    assert found["pyodide/pyodide.mjs"] == b"pyodide.mjs"


def test_what_npm_brings_is_pinned_by_version_and_content_and_from_no_registry_of_one_machine() -> None:
    asked = json.loads((ROOT / "docs" / "site" / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((ROOT / "docs" / "site" / "package-lock.json").read_text("utf-8"))["packages"]
    assert locked.pop("")["dependencies"] == asked
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in asked.values())
    for package in locked.values():
        assert package["integrity"].startswith("sha512-")
        assert package.get("resolved", "https://registry.npmjs.org/").startswith(
            "https://registry.npmjs.org/"
        )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "import { EditorView } from '@codemirror/view';",
            "import { EditorView } from './codemirror-view.js';",
        ),
        ('import {\n  a,\n  b\n} from "crelt"', 'import {\n  a,\n  b\n} from "./crelt.js"'),
        ("export { default } from 'crelt';", "export { default } from './crelt.js';"),
        ("import 'crelt';", "import './crelt.js';"),
        ("let text = \"from 'crelt'\";", "let text = \"from 'crelt'\";"),
        ("import x from './beside.js';", "import x from './beside.js';"),
    ],
)
def test_names_of_packages_become_files_beside_the_module(source: str, expected: str) -> None:
    assert linked(source, MODULES) == expected


def test_a_package_that_is_not_listed_is_an_error_of_the_build() -> None:
    with pytest.raises(KeyError, match="@lezer/lr"):
        linked("import { Parser } from '@lezer/lr';", MODULES)
