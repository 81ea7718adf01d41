"""The frozen program: PyInstaller in an environment that holds the pinned packages and nothing else."""

import shutil
from pathlib import Path

from installer.ground import PACKAGING, ROOT, WORK, environment_python, reproducible, run

ENVIRONMENT = "environment"
PINS = ("requirements.txt", "requirements-build.txt")


def freeze() -> Path:
    """Make the program's folder anew; where it is."""
    python = environment_python(ENVIRONMENT, *PINS)
    place = WORK / "frozen"
    shutil.rmtree(place, ignore_errors=True)
    command = [str(python), "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(place), "--workpath", str(WORK / "pyinstaller"), str(PACKAGING / "banksman.spec")]
    run(*command, environment={**reproducible(), "PYTHONPATH": str(ROOT)})
    return place / "banksman"
