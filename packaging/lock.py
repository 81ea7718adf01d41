#!/usr/bin/env python3
"""Write the two pinned requirement files from pyproject.toml. Needs uv on the PATH. They hold no address.

python3 packaging/lock.py
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Written by packaging/lock.py from pyproject.toml; do not edit.\n"


def main() -> int:
    """Write both files; 1 when one would hold an address."""
    export = ["uv", "export", "--quiet", "--no-header", "--no-hashes", "--no-emit-project", "--no-annotate"]
    for name, extra in (("requirements.txt", ["--no-dev"]), ("requirements-dev.txt", [])):
        pins = subprocess.run([*export, *extra], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        lines = [line for line in pins.splitlines() if line and not line.startswith(("-", "#"))]
        if any("://" in line for line in lines):
            print(f"{name} would hold an address; nothing was written.", file=sys.stderr)
            return 1
        (ROOT / "packaging" / name).write_text(HEADER + "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
