"""The Content-Security-Policy of a page: what its browser may load and run, which is what lies beside it.

A page on a host that sends no headers of its own, such as GitHub's, carries it itself.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape

# WebAssembly is compiled, and no text becomes a script. A worker begins from a blob, which its page names: so it has the policy of the
# page, and where no server sends one, a worker from an address has none. Pictures stand in pages as data, styles in what the course answers.
RULES = {
    "default-src": "'self'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    "worker-src": "'self' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
}
_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<content>.*?)</script>", re.DOTALL)
_PLURAL = re.compile(r'("plural_expr": )"([^"]*)"')
_FUNCTION = re.compile(r"new Function\([^;]*?\)`,\s*\)")
_HEAD = re.compile(r"<meta charset=[^>]*>")


def guarded(page: str) -> str:
    """Return a page with its policy, which allows the scripts that stand in it by what they are."""
    inside = [
        found["content"]
        for found in _SCRIPT.finditer(page)
        if "src=" not in found["attributes"] and "application/json" not in found["attributes"]
    ]
    rules = RULES | {"script-src": " ".join([RULES["script-src"], *dict.fromkeys(map(_hash, inside))])}
    content = "; ".join(f"{name} {value}" for name, value in rules.items())
    meta = f'<meta http-equiv="Content-Security-Policy" content="{escape(content)}">'
    return _HEAD.sub(lambda head: head[0] + meta, page, count=1)


def harmless(name: str, script: str) -> str:
    """Return a script of Sphinx's that makes no function of a text: the plural of a language becomes one at build time.

    Raises ``ValueError`` where Sphinx has changed, and this does not find it.
    """
    if name == "translations.js":
        script, count = _PLURAL.subn(lambda found: f"{found[1]}(n) => {found[2]}", script)
    elif name == "doctools.js":
        script, count = _FUNCTION.subn("catalog.plural_expr", script)
    else:
        return script
    if count != 1:
        raise ValueError(f"{name}: {count}")
    return script


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
