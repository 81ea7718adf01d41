"""What the tests of the gate's flow do over and over: several chats, rules, changed calls, other answers."""

from pathlib import Path
from typing import Any

from desktop.agent.options import EngineOptions
from desktop.domain.commands import AnswerInput, CheckEdit
from desktop.domain.events import Envelope, InputRequested, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.updates import EditChecked
from tests.agent.rig import Rig

ONCE = Answer(outcome="allow_once")
REJECT = Answer(outcome="reject")
HEADLESS = EngineOptions(can_ask=False, kind="hosted")
HOSTED = EngineOptions(kind="hosted")


def approval(requested: InputRequested) -> ApprovalRequest:
    """The approval that was asked for."""
    assert isinstance(requested.request, ApprovalRequest)
    return requested.request


def always(scope: str, *tokens: str, **more: Any) -> Answer:
    """Allow it with a rule of this scope; without tokens as the card proposes."""
    return Answer(outcome="allow_always", scope=scope, tokens=(tokens,) if tokens else (), **more)


def of_session(rig: Rig, session_id: str, kind: type) -> list[Any]:
    """The events of one chat and type, in order."""
    return [
        update.event
        for update in rig.updates
        if isinstance(update, Envelope) and update.session_id == session_id and isinstance(update.event, kind)
    ]


async def asked_in(rig: Rig, session_id: str, number: int = 1) -> InputRequested:
    """The n-th blocking request of one chat."""

    def find(_: object) -> InputRequested | None:
        found = [e for e in of_session(rig, session_id, InputRequested) if e.request.blocking]
        return found[number - 1] if len(found) >= number else None

    return await rig.until(find)


async def finished_in(rig: Rig, session_id: str, number: int = 1) -> ToolCallFinished:
    """The n-th result of one chat."""

    def find(_: object) -> ToolCallFinished | None:
        found = of_session(rig, session_id, ToolCallFinished)
        return found[number - 1] if len(found) >= number else None

    return await rig.until(find)


async def answer_with(rig: Rig, session_id: str, requested: InputRequested, answer: Answer, digest: str) -> None:
    """Answer with this digest, whatever is on screen."""
    await rig.engine.handle(
        AnswerInput(session_id=session_id, input_id=requested.input_id, answer=answer, digest=digest)
    )


async def check_edit(rig: Rig, session_id: str, requested: InputRequested, **edited: Any) -> EditChecked | None:
    """What is said of a changed call; None: nothing but a failure."""
    before = len([update for update in rig.updates if isinstance(update, EditChecked)])
    await rig.engine.handle(CheckEdit(session_id=session_id, input_id=requested.input_id, edited_input=edited))
    told = [update for update in rig.updates if isinstance(update, EditChecked)]
    return told[-1] if len(told) > before else None


def codes(rig: Rig) -> list[str]:
    """The codes of commands that failed, in order."""
    return [failure.code for failure in rig.failures()]


def decided(rig: Rig) -> ToolCallDecided:
    """The newest decision."""
    return rig.events(ToolCallDecided)[-1]


def started(rig: Rig) -> list[ToolCallStarted]:
    """Everything that began."""
    return rig.events(ToolCallStarted)


def rules_file(path: Path, *rules: str, head: str = "version = 1\n") -> None:
    """A file of rules with these tables."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + "".join(f"[[rule]]\n{rule}\n" for rule in rules), encoding="utf-8")
