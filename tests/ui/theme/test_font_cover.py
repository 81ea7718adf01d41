"""On a computer without any font: emoji are drawn by the shipped one, and each script that nothing draws is told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import json
from PySide6.QtGui import QFontDatabase, QImage, QPainter
from PySide6.QtWidgets import QApplication
from desktop.ui.text.markdown import prose_document
from desktop.ui.theme.font_cover import font_cover, is_drawn
from desktop.ui.theme.stylesheet import install_theme
app = QApplication([])
install_theme(app)
said = []
font_cover().lacking.connect(said.append)
for text in ("plain, café", "你好", "你好 again", "안녕 नम", "👩\u200d🚀"):
    font_cover().look(text)
    document = prose_document(text)
    image = QImage(300, 60, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    document.drawContents(painter)
    painter.end()
print(json.dumps({"said": said, "emoji": is_drawn("\\U0001f642"), "own": QFontDatabase.applicationEmojiFontFamilies()}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="fontconfig says which fonts a program sees")
def test_what_no_font_draws_is_told_once_and_emoji_are_drawn(tmp_path):
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(f'<?xml version="1.0"?><fontconfig><dir>{tmp_path}/none</dir></fontconfig>', "utf-8")
    environment = {**os.environ, "FONTCONFIG_FILE": str(fonts), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=25)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["emoji"]
    assert found["own"] == ["Noto Emoji"]
    assert sorted(found["said"]) == [
        "No font on this computer draws Chinese characters. On Debian and Ubuntu the package fonts-noto-cjk has one.",
        "No font on this computer draws Devanagari letters. On Debian and Ubuntu the package fonts-noto-core has one.",
        "No font on this computer draws Korean. On Debian and Ubuntu the package fonts-noto-cjk has one.",
    ]
