"""A file that is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _


def write(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content``; only the owner can read it. Raises :class:`LabError` where that fails."""
    name = ""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except OSError as error:
        raise LabError(
            _(
                "{path} cannot be written: {error}. Close it where it is open, or choose another folder."
            ).format(path=path, error=error.strerror)
        ) from None
    finally:
        with contextlib.suppress(OSError):  # after the replacement it is gone
            os.unlink(name)
