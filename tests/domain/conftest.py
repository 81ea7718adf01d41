"""Properties of the domain: no deadline (the machine may be busy), nothing kept between runs."""

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "banksman-hypothesis")
settings.register_profile("domain", deadline=None, database=None)
settings.load_profile("domain")
