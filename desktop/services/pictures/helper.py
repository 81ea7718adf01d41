"""A program of its own that decodes pictures nobody vouches for, with little memory and time.

It needs Pillow and the standard library alone. On standard input: one line of JSON, `{"op", "sizes", …}`, then the
bytes of `sizes` one after the other. On standard output the same: what was found, then pictures as PNG. `op`:

- `look`: the sides, whether it has one colour only, a thumbnail of at most `max_px`;
- `show`: the picture made anew, at most `max_px` a side;
- `bare`: the picture made anew in full size, upright, with its pixels and nothing else; a JPEG stays one;
- `edit`: what is left of it after `crop`, with the `blanks` painted over, made anew;
- `compare`: what differs between two, by more than `threshold` in any channel, with the regions marked.
"""

import contextlib
import io
import json
import sys
from typing import IO

from PIL import Image, ImageChops, ImageDraw, ImageOps

if sys.platform != "win32":
    import resource

MEMORY_BYTES = 512 * 1024 * 1024
CPU_S = 10
MAX_PIXELS = 50_000_000
MAX_COMPARED_PIXELS = 16_000_000
MAX_REGIONS = 50
TILE_PX = 8
JOIN_TILES = 2
PHOTO_QUALITY = 92
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
MARK = (214, 0, 86)

Box = tuple[int, int, int, int]
Found = dict[str, object]


def main(arguments: list[str]) -> int:
    """Carry out the request on standard input; 0 also when the answer is a problem."""
    _limit()
    line = sys.stdin.buffer.readline()
    request = json.loads(line)
    files = [sys.stdin.buffer.read(size) for size in request["sizes"]]
    try:
        found, pictures = _OPS[request["op"]](request, files)
    except Exception as error:  # noqa: BLE001 - a decoder fails in many ways, all of them are told
        found, pictures = {"problem": _words(error)}, []
    _answer(sys.stdout.buffer, found, pictures)
    return 0


def _limit() -> None:
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    if sys.platform == "win32":
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(out: IO[bytes], found: Found, pictures: list[bytes]) -> None:
    out.write(json.dumps({**found, "sizes": [len(one) for one in pictures]}).encode() + b"\n")
    for one in pictures:
        out.write(one)
    out.flush()


def _words(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it needs too much memory"
    if isinstance(error, Image.DecompressionBombError):
        return "it has over 50 million pixels"
    first = next(iter(str(error).splitlines()), "")
    return first[:200] if isinstance(error, ValueError) and first else "it cannot be decoded"


def _opened(data: bytes) -> Image.Image:
    with_header = Image.open(io.BytesIO(data), formats=FORMATS)
    if with_header.width * with_header.height > MAX_PIXELS:
        raise Image.DecompressionBombError
    with_header.load()
    return with_header


def _look(request: Found, files: list[bytes]) -> tuple[Found, list[bytes]]:
    image = _opened(files[0])
    found: Found = {"width": image.width, "height": image.height, "one_colour": _one_colour(image)}
    thumb = _small(image, _number(request, "max_px"))
    return found, [_png(thumb)]


def _show(request: Found, files: list[bytes]) -> tuple[Found, list[bytes]]:
    image = _opened(files[0])
    found: Found = {"width": image.width, "height": image.height}
    return found, [_png(_small(image, _number(request, "max_px")))]


def _bare(request: Found, files: list[bytes]) -> tuple[Found, list[bytes]]:
    """No place, no camera, no text and no profile: what a decoder keeps beside the pixels stays behind."""
    image = _opened(files[0])
    is_photo = image.format == "JPEG"
    image = _plain(ImageOps.exif_transpose(image))
    image.info.clear()
    found: Found = {"width": image.width, "height": image.height, "jpeg": is_photo}
    out = io.BytesIO()
    if is_photo:
        image.save(out, "JPEG", quality=PHOTO_QUALITY)
    else:
        image.save(out, "PNG")
    return found, [out.getvalue()]


def _edit(request: Found, files: list[bytes]) -> tuple[Found, list[bytes]]:
    image = _plain(_opened(files[0]))
    draw = ImageDraw.Draw(image)
    for left, top, width, height in _boxes(request.get("blanks")):
        draw.rectangle((left, top, left + width - 1, top + height - 1), fill=(0, 0, 0))
    crop = request.get("crop")
    if crop:
        left, top, width, height = _boxes([crop])[0]
        right, bottom = min(left + width, image.width), min(top + height, image.height)
        if left < 0 or top < 0 or right <= left or bottom <= top:
            raise ValueError("the part that was chosen is not in the picture")
        image = image.crop((left, top, right, bottom))
    return {"width": image.width, "height": image.height, "one_colour": _one_colour(image)}, [_png(image)]


def _compare(request: Found, files: list[bytes]) -> tuple[Found, list[bytes]]:
    before, after = (_plain(_opened(data)) for data in files)
    width, height = max(before.width, after.width), max(before.height, after.height)
    if width * height > MAX_COMPARED_PIXELS:
        raise ValueError("pictures of over 16 million pixels are not compared")
    deep = "RGBA" if "RGBA" in (before.mode, after.mode) else "RGB"
    first, second = (_padded(image.convert(deep), width, height) for image in (before, after))
    bands = [band.point(_over(_number(request, "threshold"))) for band in ImageChops.difference(first, second).split()]
    mask = bands[0]
    for band in bands[1:]:
        mask = ImageChops.lighter(mask, band)
    _mark_added(mask, before.size, after.size)
    changed = mask.histogram()[255]
    boxes, count = _regions(mask)
    found: Found = {"changed": changed, "total": width * height, "regions": boxes, "region_count": count}
    found |= {"before": before.size, "after": after.size}
    return found, [_png(_marked(second, boxes))]


def _over(threshold: int) -> list[int]:
    return [255 if level > threshold else 0 for level in range(256)]


def _mark_added(mask: Image.Image, before: tuple[int, int], after: tuple[int, int]) -> None:
    """What only one of the two pictures has differs, whatever its colour."""
    draw = ImageDraw.Draw(mask)
    for (width, height), (other_width, other_height) in ((before, after), (after, before)):
        if width > other_width:
            draw.rectangle((other_width, 0, width - 1, height - 1), fill=255)
        if height > other_height:
            draw.rectangle((0, other_height, width - 1, height - 1), fill=255)


def _padded(image: Image.Image, width: int, height: int) -> Image.Image:
    if image.size == (width, height):
        return image
    padded = Image.new(image.mode, (width, height))
    padded.paste(image, (0, 0))
    return padded


def _regions(mask: Image.Image) -> tuple[list[Box], int]:
    """Boxes around what lies together, the largest first, and how many there are."""
    tiles = mask.reduce(TILE_PX)
    width = tiles.width
    open_tiles = {at for at, level in enumerate(tiles.tobytes()) if level}
    boxes: list[Box] = []
    while open_tiles:
        group, border = [], [open_tiles.pop()]
        while border:
            at = border.pop()
            group.append(divmod(at, width))
            near = _near(at, width) & open_tiles
            open_tiles -= near
            border += near
        boxes.append(_tight(mask, group))
    boxes.sort(key=lambda box: -box[2] * box[3])
    return boxes[:MAX_REGIONS], len(boxes)


def _near(at: int, width: int) -> set[int]:
    row, column = divmod(at, width)
    reach = range(-JOIN_TILES, JOIN_TILES + 1)
    return {(row + down) * width + column + right for down in reach for right in reach if 0 <= column + right < width}


def _tight(mask: Image.Image, tiles: list[tuple[int, int]]) -> Box:
    left, right = min(column for _, column in tiles) * TILE_PX, (max(column for _, column in tiles) + 1) * TILE_PX
    top, bottom = min(row for row, _ in tiles) * TILE_PX, (max(row for row, _ in tiles) + 1) * TILE_PX
    part = mask.crop((left, top, min(right, mask.width), min(bottom, mask.height))).getbbox()
    if part is None:
        return left, top, right - left, bottom - top
    return left + part[0], top + part[1], part[2] - part[0], part[3] - part[1]


def _marked(image: Image.Image, boxes: list[Box]) -> Image.Image:
    """The picture paler, with what changed as it is and framed."""
    plain = image.convert("RGB")
    pale = Image.blend(plain, Image.new("RGB", plain.size, (255, 255, 255)), 0.6)
    draw = ImageDraw.Draw(pale)
    for left, top, width, height in boxes:
        pale.paste(plain.crop((left, top, left + width, top + height)), (left, top))
    for left, top, width, height in boxes:
        draw.rectangle((left - 2, top - 2, left + width + 1, top + height + 1), outline=MARK, width=2)
    return pale


def _plain(image: Image.Image) -> Image.Image:
    """Eight bits a channel, with or without transparency."""
    transparent = "A" in image.getbands() or "transparency" in image.info
    return image.convert("RGBA" if transparent else "RGB")


def _one_colour(image: Image.Image) -> bool:
    bands = _plain(image).getextrema()
    return all(pair[0] == pair[1] for pair in bands if isinstance(pair, tuple))


def _small(image: Image.Image, max_px: int) -> Image.Image:
    if max(image.size) > max_px:
        image.thumbnail((max_px, max_px), reducing_gap=2.0)
    return _plain(image)


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def _number(request: Found, name: str) -> int:
    value = request[name]
    return value if isinstance(value, int) else 0


def _boxes(value: object) -> list[Box]:
    found: list[Box] = []
    for one in value if isinstance(value, list) else []:
        left, top, width, height = (int(number) for number in one)
        if width <= 0 or height <= 0:
            raise ValueError("a part without any size was chosen")
        found.append((left, top, width, height))
    return found


_OPS = {"look": _look, "show": _show, "bare": _bare, "edit": _edit, "compare": _compare}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
