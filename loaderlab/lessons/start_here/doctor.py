"""`loaderlab doctor` in a process of its own, as a shell would run it: a lesson does not import the workshop."""

from loaderlab import child, language
from loaderlab.card import Note

_CALL = "import sys; from loaderlab.cli import main; main(sys.argv[1:])"


def report() -> Note:
    """What the doctor says of this machine, in the notebook's language; what went wrong, if anything did."""
    outcome = child.run("-X", "utf8", "-c", _CALL, "--language", language.current(), "doctor", timeout=60)
    return Note((outcome.output or outcome.errors).strip())
