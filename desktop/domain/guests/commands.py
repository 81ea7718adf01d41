"""Commands about guests: which there are, trying one, its options, its end."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command


class ListGuests(Command):
    """All agents of others that are known, with what is found of them on this computer. → GuestsListed."""

    reads: ClassVar[bool] = True
    type: Literal["list_guests"] = "list_guests"


class TestGuest(Command):
    """Start an agent in an empty folder, let it introduce itself, and end it. → GuestTested."""

    __test__: ClassVar[bool] = False
    reads: ClassVar[bool] = True
    type: Literal["test_guest"] = "test_guest"
    guest_id: str


class SignInToGuest(Command):
    """Have an agent sign its person in by a way of its own that needs no terminal: one that it told of in a trial. It
    ends after five minutes, or when it is cancelled. → GuestSignedIn."""

    reads: ClassVar[bool] = True
    type: Literal["sign_in_to_guest"] = "sign_in_to_guest"
    guest_id: str
    method_id: str


class CancelGuestSignIn(Command):
    """End the sign-in of an agent that is under way, which is then answered as cancelled."""

    reads: ClassVar[bool] = True
    type: Literal["cancel_guest_sign_in"] = "cancel_guest_sign_in"
    guest_id: str


class EndGuest(Command):
    """End the agent of a chat that is not working; the next message starts it anew. → GuestChanged."""

    type: Literal["end_guest"] = "end_guest"
    session_id: str


class SetGuestOption(Command):
    """Choose the value of an option of the chat's agent, such as its model; `on` or `off` for a switch. What it refuses
    is told in its words. → GuestChanged."""

    type: Literal["set_guest_option"] = "set_guest_option"
    session_id: str
    option_id: str
    value: str
