"""For all tests: properties have no deadline (a machine may be busy) and keep nothing between runs."""

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "banksman-hypothesis")
settings.register_profile("banksman", deadline=None, database=None)
settings.load_profile("banksman")
