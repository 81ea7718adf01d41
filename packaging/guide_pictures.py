#!/usr/bin/env python3
"""Make the pictures of the guide anew, from the demo as it plays now: resources/guide/*.png.

.venv/bin/python packaging/guide_pictures.py
"""

import os
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "resources" / "guide"
SCENES = {"start": "03-chat-empty", "card": "11-card-command", "changes": "27-changes"}
LANGUAGES = {"en": "C.UTF-8", "de": "de_DE.UTF-8"}
SIZE, LIMIT_S = "1100x720", 300


def main() -> int:
    """Play the demo in each language and both themes and keep three of its pictures, in 256 colours."""
    for (code, locale), (theme, mark) in product(LANGUAGES.items(), (("light", ""), ("dark", "-dark"))):
        own = "" if code == "en" else f"-{code}"
        with tempfile.TemporaryDirectory() as folder:
            robin = Path(folder) / "robin"
            home = {
                "HOME": str(robin),
                "XDG_CONFIG_HOME": f"{robin}/.config",
                "LANG": locale,
                "LANGUAGE": code,
                "LC_ALL": locale,
            }
            environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT), **home}
            words = ["demo", "--auto", "--theme", theme, "--size", SIZE, "--screens", folder]
            words += ["--place", str(robin / "code")]
            command = [sys.executable, "-m", "desktop", *words]
            subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=LIMIT_S)
            for name, scene in SCENES.items():
                picture = Image.open(Path(folder) / f"{scene}.png").convert("RGB")
                colours = picture.quantize(256, dither=Image.Dither.NONE)
                colours.save(GUIDE / f"{name}{own}{mark}.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
