"""A file that is written whole or not at all: whoever reads it meanwhile finds the old one."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _


def write(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Replace ``path`` by ``content``, with this ``mode``. Raises :class:`LabError` where that fails, and leaves it as it is."""
    name = ""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, mode)
        os.replace(name, path)
    except OSError as error:
        text = _("{path} cannot be written: {error}. Close it where it is open, or choose another folder.")
        raise LabError(text.format(path=path, error=error.strerror)) from None
    finally:
        with contextlib.suppress(OSError):  # after the replacement it is gone
            os.unlink(name)
