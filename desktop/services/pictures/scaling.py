"""Pictures made small enough for a model service. The decoder is loaded when the first picture is scaled."""

import io
from typing import Any

from desktop.domain.core.base import Frozen
from desktop.late import late
from desktop.services.pictures.header import MAX_BYTES, read_header

MAX_SIDE_PX = 1568
MAX_PIXELS = 50_000_000
_QUALITIES = (85, 75, 65, 50, 35)


class PictureError(Exception):
    """The bytes are no picture that can be decoded, or one of too many pixels; the text says which."""


class Picture(Frozen):
    """A picture as bytes of a kind that model services take. Sides in pixels."""

    data: bytes
    media_type: str
    width_px: int
    height_px: int


def fitting_picture(data: bytes, *, max_side_px: int = MAX_SIDE_PX, max_bytes: int = MAX_BYTES) -> Picture:
    """The picture within both limits: as it is where it fits, else its first frame made smaller, as PNG where it came
    without loss and fits so, else as JPEG of falling quality (sessions-SA7). Takes up to a second: not on a loop.

    Raises:
        PictureError: it cannot be decoded, or has over 50 million pixels.
    """
    header = read_header(data)
    if header is None:
        raise PictureError("This is no PNG, JPEG, GIF or WebP picture.")
    if header.width_px * header.height_px > MAX_PIXELS:
        raise PictureError(f"The picture has {header.width_px}×{header.height_px} pixels; the limit is 50 million.")
    small = max(header.width_px, header.height_px) <= max_side_px and len(data) <= max_bytes
    pil = late("PIL.Image")
    try:
        with pil.open(io.BytesIO(data)) as image:
            still = getattr(image, "n_frames", 1) == 1  # not every decoder counts frames
            image.load()
            if small and still:
                return Picture(data=data, media_type=header.media_type, width_px=image.width, height_px=image.height)
            image.thumbnail((max_side_px, max_side_px))
            return _encoded(image, max_bytes, lossless=header.kind in ("PNG", "GIF"))
    except (OSError, ValueError, SyntaxError, EOFError, pil.DecompressionBombError) as error:
        raise PictureError(f"The picture cannot be decoded: {error}.") from error


def _encoded(image: Any, max_bytes: int, *, lossless: bool) -> Picture:
    transparent = "A" in image.getbands() or "transparency" in image.info
    while True:
        if lossless or transparent:
            data = _saved(image.convert("RGBA" if transparent else "RGB"), "PNG", optimize=True)
            if len(data) <= max_bytes:
                return Picture(data=data, media_type="image/png", width_px=image.width, height_px=image.height)
        flat = image.convert("RGB")
        for quality in _QUALITIES:
            data = _saved(flat, "JPEG", quality=quality)
            if len(data) <= max_bytes:
                return Picture(data=data, media_type="image/jpeg", width_px=image.width, height_px=image.height)
        image = image.resize((max(1, image.width // 2), max(1, image.height // 2)))


def _saved(image: Any, form: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()
