"""
Folders of tests are no packages; what tests share is imported by its plain name. Compiled
code goes to a cache that lives as long as the tests run, not to the user's.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.extend(str(Path(__file__).parent / name) for name in ("helpers", "fuzz"))

os.environ["VYRE_CACHE_DIR"] = tempfile.mkdtemp(prefix="vyre-tests-")
atexit.register(shutil.rmtree, os.environ["VYRE_CACHE_DIR"], ignore_errors=True)
