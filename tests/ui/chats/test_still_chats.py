"""What a batch leaves as it was: a chat of which it does not tell, and that has nobody above or below it."""

import pytest

from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity
from desktop.domain.events import SessionStarted, TitleChanged
from desktop.domain.updates import ActivityChanged, KeysChanged, TextDelta
from desktop.ui.chats.book import ChatBook
from tests.ui.chats.test_children import AT, Logs, asks


@pytest.fixture
def logs() -> Logs:
    return Logs()


@pytest.fixture
def book(logs: Logs) -> ChatBook:
    """It knows a chat, another one, and a family."""
    book = ChatBook()
    for envelope in logs.say("here", SessionStarted()) + logs.say("there", SessionStarted()) + [*logs.family(1)]:
        book.hearing.take([envelope])
    return book


def runs(session_id: str) -> ActivityChanged:
    return ActivityChanged(session_id=session_id, activity=Activity.STREAMING, since=AT)


def test_a_batch_about_another_chat_leaves_the_facts_of_this_one_as_they_are(book: ChatBook, logs: Logs) -> None:
    facts = book.facts("here")
    delta = TextDelta(session_id="there", message_id="m", part_index=0, revision=1, text="so")
    book.hearing.take([*logs.say("there", TitleChanged(title="Mend it")), runs("there"), delta])
    assert book.is_still("here")
    assert book.is_still("")
    assert book.facts("here") is facts
    assert not book.is_still("there")
    assert book.facts("there").title == "Mend it"


@pytest.mark.parametrize("update", [runs("here"), KeysChanged(keys=())], ids=["this chat", "the engine"])
def test_a_batch_that_tells_of_it_or_of_all_does_not(book: ChatBook, update: Update) -> None:
    book.facts("here")
    book.hearing.take([runs("there"), update])
    assert not book.is_still("here")


def test_what_happens_below_or_above_a_chat_concerns_it(book: ChatBook, logs: Logs) -> None:
    assert not book.facts("parent").waiting
    book.hearing.take(logs.say("child0", asks("below")))
    assert not book.is_still("parent")
    assert book.facts("parent").waiting == 1
    assert book.facts("child0").parent_title == "Mend it"
    book.hearing.take(logs.say("parent", TitleChanged(title="Paint it")))
    assert not book.is_still("child0")
    assert book.facts("child0").parent_title == "Paint it"
