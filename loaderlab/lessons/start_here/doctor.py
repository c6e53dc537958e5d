"""`loaderlab doctor` in a process of its own, as a shell would run it: a lesson does not import the workshop."""

from loaderlab.i18n import language
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import child
from loaderlab.notebook.card import Note

_CALL = "import sys; from loaderlab.cli import main; main(sys.argv[1:])"


def report(seconds: float = 60) -> Note:
    """Return the doctor's report on this machine, in the notebook's language; the error, where there was one."""
    arguments = ("-c", _CALL, "--language", language.current(), "doctor")
    outcome = child.run("-X", "utf8", *arguments, timeout=seconds)
    if outcome.timed_out:
        return Note(_("The doctor did not finish within {seconds:g} s.").format(seconds=seconds))
    return Note((outcome.output or outcome.errors).strip())
