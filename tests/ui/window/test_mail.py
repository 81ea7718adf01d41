"""Which window hears what: the answer goes to the one that asked, all else to every one."""

import pytest

from desktop.domain.chats.sounds import PlaySound, SoundPlayed
from desktop.domain.chats.updates import SessionForkedOff
from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.domain.github.updates import SignInProgress
from desktop.domain.proofs.updates import ProofsChanged
from desktop.domain.pulls.updates import OwnForkUsed
from desktop.domain.updates import DatabaseTested, EndpointChecked
from desktop.ui.window.mail import Mail

HERE, ELSEWHERE = 1, 2


class Sent:
    """Takes what windows send."""

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def send(self, command: Command) -> None:
        """Keep it."""
        self.commands.append(command)


def heard(update: Update, asked: Command) -> tuple[bool, bool]:
    """Whether the window that sent the command hears the update, and whether another one does."""
    mail = Mail(Sent())
    mail.send(HERE, asked)
    return bool(mail.for_window(HERE, [update])), bool(mail.for_window(ELSEWHERE, [update]))


def test_answers_go_to_the_window_that_asked_and_to_no_other():
    for update in (
        SoundPlayed(command_id="cmd_1"),
        DatabaseTested(command_id="cmd_1", name="db", ok=True, text="PostgreSQL 16"),
        SessionForkedOff(command_id="cmd_1", session_id="ses_2", source_session_id="ses_1"),
    ):
        assert heard(update, PlaySound(command_id="cmd_1")) == (True, False), type(update)


@pytest.mark.parametrize(
    "update",
    [
        EndpointChecked(command_id="cmd_1", endpoint_id="e", ok=True, text="3 models"),
        OwnForkUsed(command_id="cmd_1", lane_id="lane_1", repository="me/app", remote="fork"),
        SignInProgress(command_id="cmd_1", host="github.com", step="code"),
        ProofsChanged(command_id="cmd_1", lane_id="lane_1", proofs=()),
    ],
    ids=lambda update: type(update).__name__,
)
def test_what_changed_for_all_goes_to_every_window_though_it_names_a_command(update):
    assert heard(update, PlaySound(command_id="cmd_1")) == (True, True)
