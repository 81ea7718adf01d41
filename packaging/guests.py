"""Install agents of others, at pinned versions, in a folder where the tests of `tests/guests` find them.

`python3 packaging/guests.py FOLDER`; then `BANKSMAN_TEST_GUESTS=FOLDER` names it to the tests. About 0.9 GB, so the
test command does not do it. With them comes a Node, as one agent needs a newer one than many machines have. Standard
library only.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PINS = Path(__file__).resolve().parent / "guests"
FILES = ("package.json", "package-lock.json")
NOT_THERE = 3
"""The status when no npm is there, or it could not install them: whoever wants them goes on without."""


def install_guests(folder: Path) -> int:
    """Make `folder` hold the agents as they are pinned. The status of this program."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not there, so nothing was installed.")
        return NOT_THERE
    folder.mkdir(parents=True, exist_ok=True)
    if all((folder / name).is_file() and same(folder / name, PINS / name) for name in FILES):
        return 0
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    made = folder / "install"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    for name in FILES:
        shutil.copy(PINS / name, made / name)
    words = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    if subprocess.run(words, cwd=made, check=False).returncode != 0:
        print("npm could not install them.")
        return NOT_THERE
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    (made / "node_modules").rename(folder / "node_modules")
    shutil.rmtree(made)
    for node in folder.glob("node_modules/node-*-*/bin/node"):
        link = folder / "node_modules" / ".bin" / "node"
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(node, link.parent))
    for name in FILES:
        shutil.copy(PINS / name, folder / name)
    return 0


def same(one: Path, other: Path) -> bool:
    """Whether two files hold the same."""
    return one.read_bytes() == other.read_bytes()


if __name__ == "__main__":
    sys.exit(install_guests(Path(sys.argv[1]).resolve()))
