"""How Sphinx makes the website of one language; `loaderlab site` calls it, and says which language that is.

Everything that a page loads lies beside it: formulas are MathML, which browsers know, and need no script.
"""

from __future__ import annotations

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.search import SearchLanguage, languages
from sphinx.util.typing import ExtensionMetadata

from loaderlab.i18n.language import LANGUAGES

project = "Loader Lab"
copyright = "Loader Lab authors, CC BY 4.0"  # noqa: A001 - Sphinx calls it so
extensions = ["myst_nb"]
exclude_patterns = ["download", "solutions"]
templates_path = ["templates"]
locale_dirs = ["locale"]
smartquotes = False  # the builder of the notebooks has put in what each language wants

nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

html_theme = "basic"
html_static_path = ["static"]
html_js_files = ["look.js"]
html_favicon = "static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
html_permalinks_icon = "#"
html_context = {"languages": LANGUAGES}


class SearchPolish(SearchLanguage):
    """Sphinx has no Polish: words that begin with the same five letters are found as one."""

    lang = "pl"
    language_name = "Polish"
    js_stemmer_code = "window.Stemmer = function () { this.stemWord = (word) => word.slice(0, 5); };"

    def stem(self, word: str) -> str:
        """Return the part of a word that does not change with its endings, roughly."""
        return word.lower()[:5]


def _formula(translator, node) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise SkipNode


def _formula_apart(translator, node) -> None:
    translator.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def _fold(translator, node) -> None:
    # myst-nb's own has a label in English.
    translator.body.append(f"<details class='folded'><summary>{node['prompt_show']}</summary>\n")


def _unfold(translator, _node) -> None:
    translator.body.append("</details>\n")


def setup(app) -> ExtensionMetadata:
    """Register what the theme and myst-nb do not bring."""
    languages[SearchPolish.lang] = SearchPolish
    app.add_html_math_renderer("mathml", (_formula, None), (_formula_apart, None))
    app.add_node(HideCodeCellNode, override=True, html=(_fold, _unfold))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
