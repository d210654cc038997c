"""python -m examples.lm.data: see prepare.py."""

import sys

from .prepare import main

sys.exit(main())
