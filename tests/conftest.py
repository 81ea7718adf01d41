"""For all tests: windows need no display; properties have no deadline and keep nothing between runs."""

import os
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "banksman-hypothesis")
settings.register_profile("banksman", deadline=None, database=None)
settings.load_profile("banksman")
