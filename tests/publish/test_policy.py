"""The Content-Security-Policy of a page: no text becomes a script, and nothing comes from elsewhere."""

from __future__ import annotations

import re
from html import unescape

import pytest

from loaderlab.publish.policy import RULES, guarded, harmless

PAGE = """<html><head><meta charset="utf-8"><script>known()</script><script src="x.js"></script>
<script type="application/json">{"a": 1}</script></head><body></body></html>"""


def policy(page: str) -> dict[str, list[str]]:
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    return {name: values for name, *values in (rule.split() for rule in unescape(found[1]).split("; "))}


def test_only_the_scripts_that_stand_in_the_page_are_allowed_beside_its_own_files() -> None:
    allowed = policy(guarded(PAGE))["script-src"]
    # printf 'known()' | openssl dgst -sha256 -binary | base64
    assert allowed == [
        "'self'",
        "'wasm-unsafe-eval'",
        "'sha256-Q/AXd3qmS6Qn7Mz/w8j0s+b3PXaM6t3gNKjFiV7qTXU='",
    ]
    assert policy(guarded(PAGE.replace("known()", "other()")))["script-src"][2:] != allowed[2:]


def test_it_stands_before_the_first_script() -> None:
    page = guarded(PAGE)
    assert page.index("Content-Security-Policy") < page.index("<script")


def test_no_rule_allows_another_host_or_to_make_scripts_of_text() -> None:
    values = {value for rule in RULES.values() for value in rule.split()}
    assert values <= {"'self'", "'none'", "'unsafe-inline'", "'wasm-unsafe-eval'", "data:", "blob:"}
    assert "'unsafe-inline'" not in RULES["script-src"] and "data:" not in RULES["script-src"]


def test_sphinx_makes_no_function_of_a_text() -> None:
    catalog = 'Documentation.addTranslations({"locale": "fr", "plural_expr": "(n > 1) ? 1 : 0"});'
    assert '"plural_expr": (n) => (n > 1) ? 1 : 0}' in harmless("translations.js", catalog)
    made = 'PLURAL_EXPR = new Function(\n  "n",\n  `return (${catalog.plural_expr})`,\n);'
    assert harmless("doctools.js", made) == "PLURAL_EXPR = catalog.plural_expr;"
    assert harmless("other.js", made) == made
    with pytest.raises(ValueError, match="doctools.js"):
        harmless("doctools.js", "changed")
