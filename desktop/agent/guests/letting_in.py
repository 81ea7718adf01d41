"""What a person is asked before another program of a guest works than the one that worked before (guests-A13)."""

from desktop.domain.gate.pending import Answer, Option, Question, QuestionRequest
from desktop.domain.guests.events import GuestNoticed

_LET_IN = "let_in"


def let_in_question(label: str, changed: GuestNoticed) -> QuestionRequest:
    """The card. `changed`: what is told of it."""
    before, now = (str(changed.data.get(key) or "not known")[:12] for key in ("before", "now"))
    options = (
        Option(label="Let it work", value=_LET_IN, description="As the one that works here from now on."),
        Option(label="Not now", value="not", description="The turn does not begin; nothing was said to it."),
    )
    text = f"{changed.text} Its program was {before}, and is {now}."
    asked = Question(id=_LET_IN, text=text, header="Changed agent", options=options, freeform=False)
    return QuestionRequest(call_id="", title=f"{label} is not the program that worked here before", questions=(asked,))


def lets_in(answer: Answer) -> bool:
    """Whether the person lets it work."""
    return answer.outcome == "answered" and answer.choices.get(_LET_IN) == (_LET_IN,)
