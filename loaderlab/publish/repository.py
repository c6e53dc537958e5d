"""`loaderlab publish`: give the course the address of its repository, everywhere at once; no notebook is run for that."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import loaderlab
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.publish import press, review
from loaderlab.publish.checkout import Checkout, address, here, is_address, write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab publish`."""
    add = parser.add_argument
    add("--repository", required=True, metavar="OWNER/NAME", help="what GitHub calls the repository")
    add("--ref", default=f"v{loaderlab.__version__}",
        help="the tag (or branch) that Colab opens and installs (default: %(default)s)")  # fmt: skip
    add("--website", default="", metavar="ADDRESS",
        help="where its pages are published, such as https://OWNER.github.io/NAME/; the READMEs lead there")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Set the address, build and check; returns the exit status."""
    checkout = here()
    for path in move(checkout, options.repository, options.ref, options.website):
        print(_("written: {file}").format(file=checkout.name(path)))
    checkout = here()  # with its new address
    names = checkout.chosen([])
    press.build(checkout, names)
    found = review.problems(checkout, names)
    if found:
        print("\n".join(found))
        return 1
    print(
        _(
            "The address is {address}, and Colab installs {ref}. Commit, then: `git tag {ref} && git push origin HEAD {ref}`"
        ).format(address=checkout.repository, ref=options.ref)
    )
    return 0


def move(checkout: Checkout, repository: str, ref: str, website: str = "") -> list[Path]:
    """Put the address of ``repository`` (OWNER/NAME) for the one that the checkout has, its ref and its website.

    Returns the files changed. Raises :class:`LabError` where that is no name of a repository, no ref, or no website.
    """
    new = f"https://github.com/{repository.removeprefix('https://github.com/').rstrip('/').removesuffix('.git')}"
    if not is_address(new) or not re.fullmatch(r"[\w./-]+", ref):
        raise LabError(
            _(
                "{repository!r} at {ref!r} is no repository of GitHub. Expected: OWNER/NAME, as in its address, and a tag or "
                "a branch."
            ).format(repository=repository, ref=ref)
        )
    if website and not re.fullmatch(r"https://[\w.-]+(/[\w./-]*)?", website):
        raise LabError(
            _(
                "{website!r} is no address of a website. Expected: https://OWNER.github.io/NAME/, or none."
            ).format(website=website)
        )
    old = re.compile(rf"{re.escape(checkout.repository)}(?![\w-])")
    changed = []
    for path in checkout.texts():
        text = old.sub(new, path.read_text("utf-8"))
        if path.name == "pyproject.toml":
            text = re.sub(r'^ref = ".*"$', f'ref = "{ref}"', text, flags=re.MULTILINE)
            # That of the repository before is not this one's.
            text = re.sub(r'^Website = ".*"\n', "", text, flags=re.MULTILINE)
            if website:
                text = re.sub(
                    r"^(Repository = .*\n)", rf'\1Website = "{website}"\n', text, flags=re.MULTILINE
                )
        elif path.name == "CITATION.cff":
            text = _cited(text, new)
        if write(path, text):
            changed.append(path)
    assert address(checkout.root / "pyproject.toml") == (new, ref, website)
    return changed


def _cited(text: str, repository: str) -> str:
    """Return CITATION.cff with this address; it has none while the repository has none."""
    line = f'repository-code: "{repository}"\n'
    if re.search(r"^repository-code:", text, re.MULTILINE):
        return re.sub(r"^repository-code:.*\n", line, text, flags=re.MULTILINE)
    return re.sub(r"^(license: .*\n)", rf"\1{line}", text, flags=re.MULTILINE)
