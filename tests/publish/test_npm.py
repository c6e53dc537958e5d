"""What the website takes from npm's registry: pinned, whole, kept, and linked so that a browser needs no bundler."""

from __future__ import annotations

import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from loaderlab.i18n.errors import LabError
from loaderlab.publish import registry
from loaderlab.publish.browser_modules import linked
from loaderlab.publish.registry import Package, digest
from places import ROOT

PLACES = {"@codemirror/view": "editor/codemirror-view.js", "crelt": "editor/crelt.js"}


def packed(**files: bytes) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Package, Path]:
    """A package, and its archive in a registry that is a folder."""
    content = packed(index=b"export default 1", other=b"no")
    package = Package("@owner/thing", "1.2.3", digest(content), {"index": "web/thing.js"})
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", (tmp_path / "registry").as_uri())
    archive = tmp_path / "registry" / "@owner" / "thing" / "-" / "thing-1.2.3.tgz"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(content)
    return package, archive


def test_only_the_named_files_come_and_the_next_time_from_the_cache(
    served: tuple[Package, Path], tmp_path: Path
) -> None:
    package, archive = served
    assert registry.files(package, tmp_path / "cache") == {"web/thing.js": b"export default 1"}
    archive.unlink()
    assert registry.files(package, tmp_path / "cache") == {"web/thing.js": b"export default 1"}


def test_what_is_not_what_is_pinned_is_refused_in_the_registry_and_in_the_cache(
    served: tuple[Package, Path], tmp_path: Path
) -> None:
    package, archive = served
    registry.files(package, tmp_path / "cache")
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_bytes(packed(index=b"evil"))
    assert registry.files(package, tmp_path / "cache") == {"web/thing.js": b"export default 1"}
    kept.unlink()
    archive.write_bytes(packed(index=b"evil"))
    with pytest.raises(LabError, match="SHA-512"):
        registry.files(package, tmp_path / "cache")
    assert not kept.exists()


def test_a_registry_out_of_reach_is_a_sentence(served: tuple[Package, Path], tmp_path: Path) -> None:
    package, _archive = served
    with pytest.raises(LabError, match=r"thing 9\.9 cannot be fetched.*NPM_CONFIG_REGISTRY"):
        registry.files(replace(package, version="9.9"), tmp_path / "cache")


def test_what_is_listed_is_pinned() -> None:
    packages = registry.packages(ROOT / "docs" / "site" / "packages.json")
    assert {"pyodide", "@codemirror/lang-python"} <= {package.name for package in packages}
    assert all(package.integrity.startswith("sha512-") and package.files for package in packages)
    assert len({place for package in packages for place in package.files.values()}) == sum(
        len(package.files) for package in packages
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
    assert linked(source, PLACES) == expected


def test_a_package_that_is_not_listed_is_an_error_of_the_build() -> None:
    with pytest.raises(KeyError, match="@lezer/lr"):
        linked("import { Parser } from '@lezer/lr';", PLACES)
