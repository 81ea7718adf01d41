"""What a person wrote, apart from what was added for the model."""

from datetime import UTC, datetime

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, SessionStarted, UserMessage
from desktop.domain.history.own_words import own_words
from desktop.domain.history.state_of import SessionState, fold

LISTED = "Attached files, to be read with read_file:\nattachments:a.png (image/png, 13 KB)"
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}


def text(words):
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("parts", "files", "words"),
    [
        ((text("Look at this"), text(LISTED), PICTURE), ("a.png",), "Look at this"),
        ((text(LISTED), PICTURE), ("a.png",), ""),
        ((PICTURE,), ("a.png",), ""),
        ((text("Attached files, what are they?"), text(LISTED)), ("a.png",), "Attached files, what are they?"),
        ((text("Attached files, what are they?"),), (), "Attached files, what are they?"),
        (("one", text("two"), PICTURE, 3, {"type": "other"}, text("")), (), "one\n\ntwo\n\n(picture)"),
    ],
)  # fmt: skip
def test_the_list_of_files_and_their_pictures_are_not_the_persons_words(parts, files, words):
    assert own_words(UserMessage(parts=parts, attachments=files)) == words


@pytest.mark.parametrize(("parts", "title"), [((text(LISTED),), "a.png"), ((text("See"), text(LISTED)), "See")])
def test_a_chat_is_named_by_what_was_written_or_by_the_file(parts, title):
    said = UserMessage(parts=parts, attachments=("a.png",))
    state = SessionState()
    for seq, event in enumerate((SessionStarted(mode=PermissionMode.EDIT), said)):
        fields = {"event_id": f"evt_{seq:032x}", "session_id": "ses_" + "0" * 32, "seq": seq, "parent_id": None}
        state = fold(
            state, Envelope.model_validate({**fields, "at": datetime(2026, 11, 21, tzinfo=UTC), "event": event})
        )
    assert state.title == title
