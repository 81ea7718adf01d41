"""What the clipboard holds, as the composer takes it."""

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData
from PySide6.QtGui import QImage, QImageWriter

PNG = "image/png"
_PNG_QUALITY = 80


def png_of(data: QMimeData) -> bytes:
    """The picture on the clipboard: its own bytes where the other program gives them, else encoded here."""
    if data.hasFormat(PNG):
        return bytes(data.data(PNG).data())
    image = data.imageData()
    array = QByteArray()
    buffer = QBuffer(array)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if isinstance(image, QImage):
        writer = QImageWriter(buffer, QByteArray(b"png"))
        writer.setQuality(_PNG_QUALITY)
        writer.write(image)
    return bytes(array.data())
