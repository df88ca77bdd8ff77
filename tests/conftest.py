"""Folders of tests are no packages; what tests share is imported by its plain name."""

import sys
from pathlib import Path

sys.path.extend(str(Path(__file__).parent / name) for name in ("helpers", "fuzz"))
