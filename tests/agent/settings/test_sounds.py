"""Sounds of notifications: made here, played by the first program of the system that can, or said not to be."""

import array
import io
import os
import wave
from pathlib import Path

import pytest

from desktop.domain.chats.sounds import PlaySound, SoundPlayed
from desktop.services.settings.sound_player import find_player, play_sound, sound_wave
from tests.agent.rig import Rig

PLAYER = '#!/bin/sh\nhead -c 4 "$1" > "$SOUND_LOG"\nbasename "$1" >> "$SOUND_LOG"\nexit ${SOUND_EXIT:-0}\n'


def samples(sound, volume):
    with wave.open(io.BytesIO(sound_wave(sound, volume))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 22_050)
        return array.array("h", file.readframes(file.getnframes()))


@pytest.fixture
def program(tmp_path, monkeypatch) -> Path:
    """A program named as one that plays sounds, and what it wrote of what it was given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "pw-play").write_text(PLAYER)
    (folder / "pw-play").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("SOUND_LOG", str(tmp_path / "heard"))
    return tmp_path / "heard"


@pytest.mark.promise("ui-U167")
def test_the_two_sounds_differ_last_under_a_second_and_follow_the_volume():
    waiting, done = samples("waiting", 100), samples("done", 100)
    assert len(done) < len(waiting) < 22_050
    loudest = [max(abs(one) for one in samples("done", volume)) for volume in (100, 50, 10, 0)]
    assert 32_767 * 0.4 < loudest[0] < 32_767
    assert loudest[1] == pytest.approx(loudest[0] / 2, abs=2)
    assert loudest[2] == pytest.approx(loudest[0] / 10, abs=2)
    assert loudest[3] == 0


@pytest.mark.asyncio
async def test_the_engine_plays_a_sound_with_the_program_there_is(rig: Rig, program: Path, monkeypatch) -> None:
    async def played(command: PlaySound) -> str:
        await rig.engine.handle(command)
        told = [update for update in rig.updates if isinstance(update, SoundPlayed)]
        assert told[-1].command_id == command.command_id
        return told[-1].player

    assert (await played(PlaySound()), program.exists()) == ("pw-play", False)
    assert await played(PlaySound(sound="waiting", volume=40)) == "pw-play"
    assert program.read_text() == "RIFFwaiting.wav\n"
    monkeypatch.setenv("SOUND_EXIT", "1")
    assert await played(PlaySound(sound="done")) == "", "a program that cannot play it counts as none"
    monkeypatch.setenv("PATH", "/nowhere")
    assert await played(PlaySound(sound="done")) == ""
    assert find_player(os.environ) == ""
    assert not await play_sound("pw-play", "done", 50, os.environ)
