"""The command ``loaderlab``: for authors ``build`` and ``record``, for everyone ``doctor`` and ``peers``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from loaderlab.errors import LabError
from loaderlab.language import LANGUAGES, of_system, use


def _parser(wanted: str = "") -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="loaderlab", description="Loader Lab: PyTorch data loading, hands on."
    )
    parser.add_argument("--language", choices=LANGUAGES, default=of_system(), help="language of what it says")
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser(
        "build", help="make the notebooks, solutions and diagrams from the lessons' sources"
    )
    build.add_argument("lessons", nargs="*", help="names of lessons (default: all)")
    build.add_argument(
        "--check", action="store_true", help="change nothing; fail where something is not up to date"
    )
    build.add_argument("--force", action="store_true", help="execute every notebook again, changed or not")
    record = commands.add_parser("record", help="run lessons here and keep what their benchmarks measured")
    record.add_argument("lessons", nargs="*", help="names of lessons (default: all)")
    commands.add_parser("doctor", help="what this machine has, and what that means for each lesson")
    peers = commands.add_parser(
        "peers", help="measure the course's recipe beside other loaders, on this machine"
    )
    if wanted == "peers":  # its options need packages that the other commands can do without
        from loaderlab.peers import command

        command.add_arguments(peers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    options = _parser("peers" if "peers" in words else "").parse_args(words)
    use(options.language)
    try:
        if options.command == "doctor":
            from loaderlab.workshop import doctor

            text, fine = doctor.report()
            print(text)
            return 0 if fine else 1
        if options.command == "peers":
            from loaderlab.peers import command

            return command.run(options)
        from loaderlab import publish

        if options.command == "record":
            for path in publish.record(options.lessons):
                print(path)
            return 0
        if options.check:
            found = publish.check(options.lessons)
            print("\n".join(found), end="\n" if found else "")
            return 1 if found else 0
        publish.build(options.lessons, force=options.force)
        return 0
    except LabError as error:
        print(f"loaderlab: {error}", file=sys.stderr)
        return 1
