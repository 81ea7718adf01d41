"""Two sounds under a second, made here, and the program of the system that plays them (ui-U167)."""

import array
import asyncio
import io
import math
import shutil
import subprocess
import sys
import tempfile
import wave
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from desktop.domain.chats.sounds import Sound
from desktop.late import late

RATE = 22_050
LIMIT_S = 5.0
_PLAYERS = {"darwin": ("afplay",), "win32": ("winsound",)}
_UNIX = ("pw-play", "paplay", "aplay")
_STROKES: dict[Sound, tuple[tuple[float, float], ...]] = {
    "waiting": ((659.3, 0.22), (880.0, 0.42)),
    "done": ((523.3, 0.42),),
}
"""Pitch and length of each stroke: two that rise say that somebody waits, a lower one that something is done."""
_LOUDEST, _DECAY = 0.6, 7.0


def find_player(env: Mapping[str, str]) -> str:
    """The program that plays sounds here, "" for none."""
    for name in _PLAYERS.get(sys.platform, _UNIX):
        if name == "winsound" or shutil.which(name, path=env.get("PATH")):
            return name
    return ""


async def play_sound(player: str, sound: Sound, volume: int, env: Mapping[str, str]) -> bool:
    """Play it to its end with that program, at a volume in percent; False: it could not."""
    with tempfile.TemporaryDirectory(prefix="banksman-sound-") as folder:
        path = Path(folder) / f"{sound}.wav"
        path.write_bytes(sound_wave(sound, volume))
        if player == "winsound":
            return await asyncio.to_thread(_play_on_windows, path)
        return await _run(player, path, env)


@lru_cache(maxsize=8)
def sound_wave(sound: Sound, volume: int) -> bytes:
    """The sound as a WAV file, mono, 16 bits."""
    samples = array.array("h")
    for pitch, length_s in _STROKES[sound]:
        for at in range(round(length_s * RATE)):
            second = at / RATE
            swing = math.sin(2 * math.pi * pitch * second) + 0.3 * math.sin(4 * math.pi * pitch * second)
            loudness = _LOUDEST * volume / 100 * min(1.0, second * 200) * math.exp(-_DECAY * second) / 1.3
            samples.append(round(32_767 * loudness * swing))
    if sys.byteorder == "big":
        samples.byteswap()
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return out.getvalue()


async def _run(player: str, path: Path, env: Mapping[str, str]) -> bool:
    try:
        process = await asyncio.create_subprocess_exec(
            player,
            str(path),
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(LIMIT_S):
            return await process.wait() == 0
    except TimeoutError:
        return False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _play_on_windows(path: Path) -> bool:
    winsound = late("winsound")
    try:
        winsound.PlaySound(str(path), winsound.SND_FILENAME | winsound.SND_NODEFAULT)
    except RuntimeError:
        return False
    return True
