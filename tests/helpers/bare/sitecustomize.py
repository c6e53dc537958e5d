"""Python starts without the packages whose modules LOADERLAB_LACKING names (JSON), as where they are not installed."""

import json
import os
import sys
from importlib.machinery import PathFinder

LACKING = frozenset(json.loads(os.environ["LOADERLAB_LACKING"]))


class Finder(PathFinder):
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        return None if fullname.partition(".")[0] in LACKING else super().find_spec(fullname, path, target)


sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
