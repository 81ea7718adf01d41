"""Pictures nobody vouches for: looked at, shown, cut and compared by a helper process, never decoded in this one."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from desktop.domain.core.errors import BanksmanError

HELPER = ("--picture-helper", "helper.py")
LIMIT_S = 10.0
MAX_SHOWN_PX = 4_000
_KEPT_NAMES = ("LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH", "TMPDIR", "TEMP")
Box = tuple[int, int, int, int]


class PictureProblem(BanksmanError):
    """The helper could not use a picture; the text says why."""


class PictureFound(BaseModel):
    """The facts about a picture that the helper found. Sides in pixels."""

    model_config = ConfigDict(frozen=True)

    problem: str = ""
    sizes: tuple[int, ...] = ()
    width: int = 0
    height: int = 0
    one_colour: bool = False
    jpeg: bool = False
    changed: int = 0
    total: int = 0
    regions: tuple[Box, ...] = ()
    region_count: int = 0
    before: tuple[int, int] = (0, 0)
    after: tuple[int, int] = (0, 0)


async def look_at(data: bytes, max_px: int) -> tuple[PictureFound, bytes]:
    """The facts about a picture: its sides, whether it has one colour only, and a thumbnail as PNG. Raises
    PictureProblem."""
    return await _asked("look", data, max_px=max_px)


async def shown_picture(data: bytes, max_px: int = MAX_SHOWN_PX) -> tuple[PictureFound, bytes]:
    """The picture made anew as PNG, at most `max_px` a side. Raises PictureProblem."""
    return await _asked("show", data, max_px=max_px)


async def bare_picture(data: bytes) -> tuple[PictureFound, bytes]:
    """The picture made anew in full size, `jpeg` as JPEG, else as PNG, without anything beside its pixels: no place, no
    camera, no words. The same bytes for the same picture. Raises PictureProblem."""
    return await _asked("bare", data)


async def cut_picture(data: bytes, crop: Box | None, blanks: tuple[Box, ...]) -> tuple[PictureFound, bytes]:
    """The part `crop` of a picture as PNG (None: all), with `blanks` painted over. Raises PictureProblem."""
    return await _asked("edit", data, crop=crop, blanks=blanks)


async def compare_pictures(before: bytes, after: bytes, threshold: int) -> tuple[PictureFound, bytes]:
    """The differences of two pictures by more than `threshold` in any channel, and the newer one as PNG with the
    regions marked.

    Raises:
        PictureProblem: one of them cannot be decoded, or they are too large to compare.
    """
    return await _asked("compare", before, after, threshold=threshold)


async def _asked(
    op: Literal["look", "show", "bare", "edit", "compare"], *files: bytes, **options: object
) -> tuple[PictureFound, bytes]:
    request = {"op": op, "sizes": [len(data) for data in files], **options}
    process = await asyncio.create_subprocess_exec(
        *_argv(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={name: os.environ[name] for name in _KEPT_NAMES if name in os.environ},
        start_new_session=sys.platform != "win32",
    )
    try:
        async with asyncio.timeout(LIMIT_S):
            out, _ = await process.communicate(json.dumps(request).encode() + b"\n" + b"".join(files))
    except TimeoutError as error:
        raise PictureProblem(f"it took longer than {LIMIT_S:g} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _answer(out)


def _answer(out: bytes) -> tuple[PictureFound, bytes]:
    line, _, rest = out.partition(b"\n")
    try:
        found = PictureFound.model_validate(json.loads(line))
    except (ValueError, ValidationError) as error:
        raise PictureProblem("it needs too much memory or time") from error
    if found.problem or found.sizes != (len(rest),):
        raise PictureProblem(found.problem or "the answer of the helper is not whole")
    return found, rest


def _argv() -> tuple[str, ...]:
    if getattr(sys, "frozen", False):
        return (sys.executable, HELPER[0])
    return (sys.executable, "-I", str(Path(__file__).with_name(HELPER[1])))
