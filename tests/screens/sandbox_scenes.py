"""Scenes of the sandbox and of what a chat has read. What a sandbox stops differs from computer to computer, so the
reports are fixed; everything else goes through the engine."""

from collections.abc import AsyncIterator

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.updates import SandboxReported
from desktop.services.processes.sandbox.probing import GAPS
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.samples import NEW, OLD, TASK
from tests.screens.stage import NOW, Stage

_PASSED = (
    "write_sibling",
    "write_home",
    "write_system",
    "write_git_file",
    "rename_over_git",
    "write_common_hooks",
    "write_common_config",
    "read_home_key",
    "write_through_link",
    "hard_link",
    "signal_host",
    "trace_host",
    "inherited_variable",
    "inherited_descriptor",
    "survivor",
)
_GAPS = (
    ("tcp", "failed", GAPS["tcp"]),
    ("udp", "failed", "A command can send datagrams to the network."),
    ("unix_socket", "failed", GAPS["unix_socket"]),
    ("read_environment", "failed", GAPS["read_environment"]),
    ("mount", "skipped", "Not tried: A command can mount file systems."),
)  # fmt: skip
LIMITED = SandboxReport.model_validate({
    "id": "sbx_limited", "tier": "landlock", "level": "limited", "binary": "", "version": "ABI 3", "at": NOW,
    "probes": [
        *({"name": name, "outcome": outcome, "gap": gap} for name, outcome, gap in _GAPS),
        *({"name": name, "outcome": "passed"} for name in _PASSED),
    ],
})  # fmt: skip
NONE = SandboxReport(
    id="sbx_none",
    at=NOW,
    reason="bubblewrap does not work here: setting up uid map: Permission denied. This kernel has no Landlock of "
    "version 4 or later (Linux 6.7), or it is turned off.",
)


async def _report(stage: Stage, report: SandboxReport) -> None:
    await stage.until(lambda: stage.window.engine.sandbox is not None, "the first report")
    stage.window.apply_updates([SandboxReported(report=report)])


async def _ask_full_auto(stage: Stage, report: SandboxReport) -> None:
    chat = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(chat)
    await _report(stage, report)
    await stage.click("composer_mode_full_auto")
    await stage.find("full_auto_dialog")


async def full_auto_none(stage: Stage) -> AsyncIterator[str]:
    """25"""
    await _ask_full_auto(stage, NONE)
    yield "25-full-auto-without-sandbox-dialog"


async def full_auto_limited(stage: Stage) -> AsyncIterator[str]:
    """25, some escapes were not stopped"""
    await _ask_full_auto(stage, LIMITED)
    yield "25-full-auto-limited-sandbox-dialog"


async def _read_secret(stage: Stage) -> str:
    chat = await stage.chat(TASK, text_turn("Which service do you mean?"), title="Fix login redirect loop")
    await stage.ended(chat)
    stage.write_in_lane(chat, ".env", "TOKEN=abc\n")
    stage.script(TASK, tool_turn("read_file", file_path=".env"), text_turn("It is set."))
    await stage.say(chat, "Look whether the token is set")
    await stage.answer(chat)
    await stage.ended(chat, 2)
    return chat


async def header_chips(stage: Stage) -> AsyncIterator[str]:
    """26, every chip of the header at once"""
    chat = await _read_secret(stage)
    await _report(stage, LIMITED)
    await stage.mode(chat, PermissionMode.FULL_AUTO)
    stage.script(
        TASK,
        tool_turn("read_file", file_path="auth/middleware.py"),
        tool_turn("edit_file", file_path="auth/middleware.py", old_string=OLD, new_string=NEW),
        text_turn("Done."),
    )
    await stage.say(chat, "Now fix it")
    await stage.ended(chat, 3)
    await _report(stage, LIMITED)
    await stage.rest(0.5)
    yield "26-header-sandbox-limited"
    await _report(stage, NONE)
    yield "26-header-no-sandbox"


async def probe_list(stage: Stage) -> AsyncIterator[str]:
    """26, what the chip opens"""
    chat = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(chat)
    await stage.mode(chat, PermissionMode.FULL_AUTO)
    await _report(stage, LIMITED)
    await stage.click("header_sandbox")
    await stage.find("sandbox_dialog")
    yield "26-probe-list"


async def taint_dialog(stage: Stage) -> AsyncIterator[str]:
    """26, what the chat has read"""
    await _read_secret(stage)
    await stage.click("header_taint")
    await stage.find("taint_dialog")
    yield "26-taint-dialog"
