"""LettingIn: the card before another program of a guest works than the one that worked before (guests-A13)."""

from collections.abc import Awaitable, Callable, Mapping

from desktop.agent.core.session import Session
from desktop.agent.guests.looking_back import program_differs
from desktop.agent.guests.starting.launching import GuestFailed, GuestStarter, GuestWords
from desktop.domain.gate.pending import Answer, InputRequest, Option, Question, QuestionRequest
from desktop.domain.guests.events import GuestNoticed

_LET_IN = "let_in"
_OPTIONS_TOLD: Mapping[str, str] = {
    "title": "{label} is not the program that worked here before",
    "header": "Changed agent",
    "let_in": "Let it work",
    "not": "Not now",
}


class LettingIn:
    """Of the guest of one chat, where a person wants to be asked (`GuestWords.asks_when_changed`). `ask` puts a
    question to them, None: nobody can answer."""

    def __init__(
        self, session: Session, words: GuestWords, ask: Callable[[InputRequest], Awaitable[Answer | None]]
    ) -> None:
        self._session, self._words, self._ask = session, words, ask
        self._let_in = ""

    async def before_start(self, starter: GuestStarter) -> None:
        """Ask of the file that is about to be started. Raises GuestFailed: they do not want it."""
        if not self._words.asks_when_changed:
            return
        sha256 = await starter.program_sha256(self._words.id)
        differs = program_differs(self._session, self._words.id, self._words.label, sha256)
        if differs is not None:
            await self._asked(differs)
            self._let_in = sha256

    async def once_started(self, changed: GuestNoticed | None) -> None:
        """Ask of what was started, None: it is the one that worked before. Raises as `before_start`."""
        if changed is None or not self._words.asks_when_changed or changed.data["now"] == (self._let_in or None):
            return
        await self._asked(changed)

    async def _asked(self, changed: GuestNoticed) -> None:
        answer = await self._ask(let_in_question(self._words.label, changed))
        if answer is None or not lets_in(answer):
            raise GuestFailed("guest_changed", f"{changed.text} It was not let in, so its turn did not begin.")


def let_in_question(label: str, changed: GuestNoticed) -> QuestionRequest:
    """The card. `changed`: what is told of it."""
    before, now = (str(changed.data.get(key) or "not known")[:12] for key in ("before", "now"))
    options = (
        Option(label=_OPTIONS_TOLD["let_in"], value=_LET_IN, description="As the one that works here from now on."),
        Option(label=_OPTIONS_TOLD["not"], value="not", description="The turn does not begin; nothing was said to it."),
    )
    text = f"{changed.text} Its program had the digest {before} and has {now} now."
    asked = Question(id=_LET_IN, text=text, header=_OPTIONS_TOLD["header"], options=options, freeform=False)
    return QuestionRequest(call_id="", title=_OPTIONS_TOLD["title"].format(label=label), questions=(asked,))


def lets_in(answer: Answer) -> bool:
    """Whether the person lets it work."""
    return answer.outcome == "answered" and answer.choices.get(_LET_IN) == (_LET_IN,)
