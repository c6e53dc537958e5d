"""``python -m loaderlab``: the command without an installation, from a checkout's root."""

import sys

from loaderlab.cli import main

sys.exit(main())
