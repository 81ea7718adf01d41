"""Pictures are looked at, cut and compared by a real helper process, which fails alone."""

import io
import zlib

import pytest
from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo

from desktop.domain.proofs.values import hundredths_of, percent_words
from desktop.services.pictures.pictures import (
    PictureProblem,
    bare_picture,
    compare_pictures,
    cut_picture,
    look_at,
    shown_picture,
)

pytestmark = pytest.mark.asyncio


def made(width: int, height: int, colour: tuple[int, int, int] = (250, 250, 250)) -> Image.Image:
    return Image.new("RGB", (width, height), colour)


def saved(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)  # type: ignore[arg-type]
    return out.getvalue()


async def test_two_sizes_equal_pictures_and_one_level_of_difference() -> None:
    low, high = saved(made(100, 100)), saved(made(100, 120))
    found, marked = await compare_pictures(low, high, 8)
    assert (found.before, found.after) == ((100, 100), (100, 120))
    assert (found.changed, found.total, found.regions) == (2000, 12_000, ((0, 100, 100, 20),))
    assert Image.open(io.BytesIO(marked)).size == (100, 120)
    found, _ = await compare_pictures(low, low, 0)
    assert (found.changed, found.region_count) == (0, 0)
    assert percent_words(hundredths_of(found.changed, found.total)) == "0.00 %"
    one_level = made(100, 100)
    one_level.putpixel((40, 41), (250, 249, 250))
    found, _ = await compare_pictures(low, saved(one_level), 0)
    assert (found.changed, found.regions) == (1, ((40, 41, 1, 1),))
    found, _ = await compare_pictures(low, saved(one_level), 1)
    assert found.changed == 0
    assert percent_words(hundredths_of(1, 1_000_000)) == "0.01 %", "what changed is never called equal"


async def test_at_most_fifty_regions_are_given_the_largest_first() -> None:
    spotted = made(800, 600)
    draw = ImageDraw.Draw(spotted)
    for number in range(60):
        left, top = 40 + number % 10 * 70, 40 + number // 10 * 90
        draw.rectangle((left, top, left + (9 if number == 7 else 3), top + 3), fill=(0, 0, 0))
    found, _ = await compare_pictures(saved(made(800, 600)), saved(spotted), 8)
    assert (found.region_count, len(found.regions)) == (60, 50)
    assert found.regions[0][2:] == (10, 4)


async def test_too_many_pixels_damage_and_bombs_are_problems_of_the_helper_alone() -> None:
    with pytest.raises(PictureProblem, match="50 million pixels"):
        await look_at(saved(Image.new("1", (10_000, 6_000))), 320)
    whole = saved(made(300, 200))
    archive = b"PK\x03\x04" + zlib.compress(b"\0" * 10_000)
    for damaged in (whole[: len(whole) // 2], archive):
        with pytest.raises(PictureProblem):
            await look_at(damaged, 320)
    with pytest.raises(PictureProblem, match="16 million"):
        await compare_pictures(saved(Image.new("1", (5_000, 4_000))), whole, 8)


async def test_a_picture_is_shown_small_and_one_colour_is_told() -> None:
    found, thumb = await look_at(saved(made(1600, 400)), 320)
    assert (found.width, found.height, found.one_colour) == (1600, 400, True)
    assert Image.open(io.BytesIO(thumb)).size == (320, 80)
    spotted = made(900, 900)
    spotted.putpixel((1, 1), (0, 0, 0))
    found, png = await shown_picture(saved(spotted), 300)
    assert Image.open(io.BytesIO(png)).size == (300, 300)
    assert not (await look_at(saved(spotted), 320))[0].one_colour


async def test_parts_are_hidden_and_cut() -> None:
    image = made(200, 100, (10, 200, 10))
    found, png = await cut_picture(saved(image), (50, 10, 100, 400), ((60, 20, 10, 10),))
    cut = Image.open(io.BytesIO(png))
    assert (found.width, cut.size) == (100, (100, 90))
    assert (cut.getpixel((12, 12)), cut.getpixel((40, 40))) == ((0, 0, 0), (10, 200, 10))
    with pytest.raises(PictureProblem, match="not in the picture"):
        await cut_picture(saved(image), (500, 10, 10, 10), ())


@pytest.mark.promise("lanes-F8")
async def test_a_published_picture_has_its_pixels_and_nothing_else() -> None:
    image = made(40, 20)
    image.putpixel((0, 0), (0, 0, 0))
    exif = Image.Exif()
    exif[0x0110] = "Secret camera"
    exif[0x0112] = 6  # turned by 90 degrees
    exif.get_ifd(0x8825)[1] = "N"
    words = PngInfo()
    words.add_text("Comment", "Secret words")
    words.add_itxt("XML:com.adobe.xmp", "<x>Secret place</x>")
    png = saved(image, exif=exif, pnginfo=words, icc_profile=b"Secret profile")
    photo = saved(image, "JPEG", exif=exif, comment=b"Secret words", xmp=b"<x>Secret place</x>")
    for data, jpeg in ((png, False), (photo, True)):
        assert b"Secret" in data
        found, bare = await bare_picture(data)
        assert (found.width, found.height, found.jpeg) == (20, 40, jpeg), "upright, although nothing says so any more"
        shown = Image.open(io.BytesIO(bare))
        shown.load()
        assert (shown.format, shown.size) == ("JPEG" if jpeg else "PNG", (20, 40))
        assert not shown.getexif()
        assert not set(shown.info) - {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
        assert not any(mark in bare for mark in (b"Secret", b"Exif", b"eXIf", b"iTXt", b"tEXt", b"iCCP"))
        assert (await bare_picture(data))[1] == bare
    see_through = Image.new("RGBA", (3, 3), (9, 9, 9, 0))
    _, bare = await bare_picture(saved(see_through))
    assert Image.open(io.BytesIO(bare)).mode == "RGBA"
