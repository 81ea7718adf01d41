"""The icon in the sizes and forms that the systems want, drawn from the one picture in resources/app."""

from pathlib import Path

from installer.freeze import ENVIRONMENT, PINS
from installer.ground import ROOT, environment_python, reproducible, run

PICTURE = ROOT / "resources" / "app" / "banksman.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
_DRAW = """
import io, sys
from pathlib import Path
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PIL import Image
picture, folder, sizes = sys.argv[1], Path(sys.argv[2]), [int(one) for one in sys.argv[3:]]
app = QGuiApplication([])
drawn = []
for size in sizes:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(picture).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    drawn.append(Image.open(io.BytesIO(bytes(buffer.data().data()))).convert("RGBA"))
    drawn[-1].save(folder / f"{size}.png", optimize=True)
drawn[-1].save(folder / "banksman.ico", sizes=[(size, size) for size in sizes if size <= 256])
drawn[-1].save(folder / "banksman.icns")
"""


def draw_icons(folder: Path) -> Path:
    """`16.png` to `512.png`, `banksman.ico` and `banksman.icns` in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    python = environment_python(ENVIRONMENT, *PINS)
    environment = {**reproducible(), "QT_QPA_PLATFORM": "offscreen"}
    run(str(python), "-c", _DRAW, str(PICTURE), str(folder), *map(str, SIZES), environment=environment)
    return folder
