"""Pictures as a model service takes them: small enough, the first frame, decoded at a bounded cost."""

import io
import random
import struct
import zlib

import pytest
from PIL import Image

from desktop.services.pictures.scaling import MAX_SIDE_PX, PictureError, fitting_picture


def encoded(image: Image.Image, form: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def noise(width: int, height: int) -> Image.Image:
    return Image.frombytes("RGB", (width, height), random.Random(7).randbytes(width * height * 3))


def test_a_small_picture_stays_as_it_is():
    data = encoded(Image.new("RGB", (40, 30), "red"), "PNG")
    picture = fitting_picture(data)
    assert picture.data == data
    assert (picture.media_type, picture.width_px, picture.height_px) == ("image/png", 40, 30)


@pytest.mark.promise("sessions-SA7")
def test_a_large_one_is_made_smaller_and_keeps_its_shape():
    picture = fitting_picture(encoded(Image.new("RGB", (4000, 1000), "red"), "PNG"))
    assert (picture.width_px, picture.height_px) == (MAX_SIDE_PX, 392)
    assert Image.open(io.BytesIO(picture.data)).size == (MAX_SIDE_PX, 392)


def test_a_photo_becomes_a_jpeg_that_fits():
    picture = fitting_picture(encoded(noise(1500, 1500), "JPEG", quality=100), max_bytes=300_000)
    assert picture.media_type == "image/jpeg"
    assert len(picture.data) <= 300_000


def test_a_picture_without_loss_that_is_too_heavy_becomes_a_jpeg():
    picture = fitting_picture(encoded(noise(1400, 1400), "PNG"), max_bytes=1_500_000)
    assert picture.media_type == "image/jpeg"
    assert len(picture.data) <= 1_500_000


def test_transparency_is_kept():
    picture = fitting_picture(encoded(Image.new("RGBA", (2000, 2000), (255, 0, 0, 80)), "PNG"))
    assert Image.open(io.BytesIO(picture.data)).mode == "RGBA"


def test_of_a_moving_picture_the_first_frame_is_taken():
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue", "green")]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    still = Image.open(io.BytesIO(fitting_picture(data).data))
    assert still.convert("RGB").getpixel((5, 5)) == (255, 0, 0)
    assert getattr(still, "n_frames", 1) == 1


def test_too_many_pixels_are_refused_before_they_are_decoded():
    header = struct.pack(">IIBBBBB", 10_000, 6_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + b"IHDR" + header + struct.pack(">I", zlib.crc32(b"IHDR" + header))
    with pytest.raises(PictureError, match="10000×6000"):
        fitting_picture(b"\x89PNG\r\n\x1a\n" + chunk)


@pytest.mark.parametrize("cut", [40, 200, 600])
def test_a_truncated_picture_is_refused(cut):
    with pytest.raises(PictureError, match="cannot be decoded"):
        fitting_picture(encoded(noise(300, 300), "JPEG")[:cut] if cut > 40 else encoded(noise(64, 64), "PNG")[:60])


def test_what_is_no_picture_is_refused():
    with pytest.raises(PictureError, match="no PNG"):
        fitting_picture(b"%PDF-1.7 and so on")
