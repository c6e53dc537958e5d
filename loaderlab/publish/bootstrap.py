"""Loader Lab, installed where it is missing: the code of the repository and the ref that a notebook was opened from.

The first code cell of a notebook is this file, without what is only for readers (`bootstrap_cell.py` adds what differs between
notebooks), so it imports nothing of the package. Nor does it leave a learner the name of a module, with which a forgotten import would go unnoticed.
"""

_NAME = r"(?:[A-Za-z0-9]+-)*[A-Za-z0-9]+/(?!\.+(?:git)?(?:/|$))[A-Za-z0-9_.-]+"  # OWNER/NAME, as GitHub allows them
_REQUIREMENT = "loaderlab @ https://github.com/{name}/archive/{ref}.zip"  # an archive needs no git, which may ask for a name
_KEPT = (
    "torch",
    "numpy",
    "matplotlib",
    "ipywidgets",
    "ipykernel",
    "ipython",
)  # as they are: the kernel has them
_SECONDS = 3  # for Colab to answer; it is on the same machine


class _NotInstalled(Exception):
    def _render_traceback_(self) -> list[str]:
        """IPython asks for this: the learner sees the sentence, not this cell again."""
        return [str(self)]


def _parsed(address: str) -> tuple[str, str]:
    """Return OWNER/NAME and the ref of an address on GitHub, or of OWNER/NAME alone; empty where it is neither."""
    import re

    found = re.fullmatch(
        rf"(?:(?:https://)?github\.com/)?({_NAME}?)(?:\.git)?(?:/(?:blob|tree)/(.+?))?/?", address.strip()
    )
    if not found:
        return "", ""
    ref = re.sub(r"/(?:notebooks(?:_\w+)?|solutions/\w+)/[^/]+\.ipynb$", "", found[2] or "HEAD")
    if ref.endswith(".ipynb"):  # not in a folder of the course
        ref = ref.partition("/")[0]
    return ("", "") if ".." in ref or re.search(r"[\s\\?#%]", ref) else (found[1], ref)


def _opened_from() -> str:
    """Return the address that Colab opened this notebook from, by its list of sessions; empty where that has none, or two."""
    import json
    import os
    from contextlib import suppress
    from urllib.parse import unquote
    from urllib.request import ProxyHandler, build_opener

    with suppress(Exception):  # not Colab, or one that answers otherwise
        colab = f"http://{os.environ['COLAB_JUPYTER_IP']}:{os.environ['KMP_TARGET_PORT']}/api/sessions"
        with build_opener(ProxyHandler({})).open(colab, timeout=_SECONDS) as answer:
            files = {unquote(each["path"].partition("fileId=")[2]) for each in json.load(answer)}
        found = [file for file in files if file.startswith("https://github.com/")]
        return found[0] if len(found) == 1 else ""
    return ""


def _copied_from() -> str:
    """Return the address that this copy in Drive was made from, as Colab noted in it; empty where there is none."""
    from contextlib import suppress

    with suppress(Exception):  # not Colab, no copy, or not of a file on GitHub
        from google.colab import _message

        notebook = _message.blocking_request("get_ipynb", timeout_sec=_SECONDS)["ipynb"]
        copied = [each["file_id"] for each in notebook["metadata"]["colab"]["provenance"]]
        return next(file for file in copied if file.startswith("https://github.com/"))
    return ""


def _install(typed: str, published: str, *, done: str, unknown: str, closed: str, failed: str) -> None:
    """Install the package where it cannot be imported, and say so in a line.

    Of the address that was ``typed``, else of that which the notebook was opened or copied from, else of ``published``, which
    its author gave it. The others are what to say: raises one of them as :class:`_NotInstalled`.
    """
    import subprocess
    import sys
    import time
    from importlib import invalidate_caches, metadata, util
    from pathlib import Path
    from tempfile import TemporaryDirectory
    from urllib.parse import quote

    if getattr(util.find_spec("loaderlab"), "origin", None):
        return
    name, ref = _parsed(typed or _opened_from() or _copied_from() or published)
    if not name:
        raise _NotInstalled(unknown)
    begun = time.monotonic()
    installed = {each.name.lower(): each.version for each in metadata.distributions() if each.name}
    with TemporaryDirectory() as folder:
        kept = Path(folder, "kept.txt")
        kept.write_text("".join(f"{each}=={installed[each]}\n" for each in _KEPT if each in installed))
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--retries",
            "1",
            "--timeout",
            "5",
            "-c",
            str(kept),
        ]
        command = [*pip, _REQUIREMENT.format(name=name, ref=quote(ref))]
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    invalidate_caches()
    where = {"address": f"https://github.com/{name}", "ref": ref}
    if ran.returncode:
        why = ran.stderr.partition("ERROR: ")[2].partition("\n")[0] or ran.stderr.strip()
        raise _NotInstalled((closed if "error 404" in why else failed).format(**where, why=why))
    seconds = round(time.monotonic() - begun)
    print(done.format(**where, seconds=seconds, torch=metadata.version("torch")))
