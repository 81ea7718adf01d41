"""What tests write, kept in memory: nothing of it is for a disk, and a third of their time was waited for one. Standard
library only."""

import getpass
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ENOUGH_MB = 8_000
_MOUNTED = 'mount -t tmpfs -o mode=0700 banksman-tests "$0" && exec "$@"'


def begin_with() -> list[str]:
    """The words to put before a pytest command: its folders are in memory, at their usual place, seen by what it starts
    alone, and gone with it. Empty where nobody may do that or the memory is short; then they are on the disk."""
    unshare = shutil.which("unshare")
    if sys.platform != "linux" or os.geteuid() != 0 or unshare is None or available_mb() < ENOUGH_MB:
        return []
    folder = Path(tempfile.gettempdir()) / f"pytest-of-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    words = [unshare, "--mount", "--propagation", "private", "sh", "-c", _MOUNTED, str(folder)]
    tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    return words if tried.returncode == 0 else []


def available_mb() -> int:
    """The memory that programs could still have."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:")), 0)
