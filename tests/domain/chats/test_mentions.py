"""How files, lanes, chats, proofs and symbols are named in a message with an `@`."""

import pytest

from desktop.domain.chats.mentions import (
    NAMED_HEAD,
    Begun,
    MentionGiven,
    begun_at,
    meant,
    mention_text,
    mentions_in,
    short_name,
    symbol_name,
)
from desktop.domain.events import UserMessage
from desktop.domain.history.own_words import own_words


@pytest.mark.parametrize(
    ("text", "begun"),
    [
        ("@", Begun("", "", "@")),
        ("see @aumi", Begun("", "aumi", "@aumi")),
        ("(@src/a", Begun("", "src/a", "@src/a")),
        ("@lane:fix", Begun("lane", "fix", "@lane:fix")),
        ('read @"docs/a b', Begun("", "docs/a b", '@"docs/a b')),
        ('@file:"docs/a b', Begun("file", "docs/a b", '@file:"docs/a b')),
        ("write to a@b.com", None),
        ("a@", None),
        ("@done ", None),
        ('@"docs/a b.md" ', None),
        ("", None),
    ],
)
def test_what_is_being_written_is_known_and_an_address_of_a_mailbox_is_none(text, begun):
    assert begun_at(text) == begun


def test_mentions_of_a_message_are_found_once_each_and_without_the_stop_behind_them():
    text = 'Compare @src/a.py, @"docs/a b.md" and @lane:fix-login. Mail a@b.com (@src/a.py) @... @symbol:a.py#run!'
    found = [(one.kind, one.name, one.written.strip()) for one in mentions_in(text)]
    assert found == [
        ("", "src/a.py", "@src/a.py"),
        ("", "docs/a b.md", '@"docs/a b.md"'),
        ("lane", "fix-login", "@lane:fix-login"),
        ("symbol", "a.py#run", "@symbol:a.py#run"),
    ]


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("file", "src/a.py", "@src/a.py"),
        ("folder", "src/", "@src/"),
        ("file", "docs/a b.md", '@"docs/a b.md"'),
        ("file", "odd.", '@"odd."'),
        ("file", "lane:x", "@file:lane:x"),
        ("lane", "fix-login", "@lane:fix-login"),
        ("symbol", symbol_name("a.py", "run"), "@symbol:a.py#run"),
    ],
)
def test_what_is_written_names_the_same_thing_again(kind, name, text):
    assert mention_text(kind, name) == text
    (mention,) = mentions_in(f"see {text} now")
    assert mention.name == name
    assert mention.kind in (kind, "")


def test_a_chat_is_named_by_words_and_the_end_of_its_id():
    name = short_name("Fix the LOGIN redirect – loop, please", "ses_0198aabbccddeeff")
    assert name == "fix-the-login-redirect-l-ddeeff"
    assert meant(name)("ses_0198AABBccddeeff")
    assert not meant(name)("ses_0198aabbccddee00")
    assert not meant("ddeef")("ses_0198aabbccddeeff")
    assert short_name("ありがとう", "ses_0198aabbccddeeff") == "ddeeff"


def test_what_a_mention_brought_is_not_among_the_words_of_the_person():
    text, head = {"type": "text", "text": "see @a.py"}, {"type": "text", "text": f"{NAMED_HEAD}\n@a.py\nx = 1"}
    picture = {"type": "image", "source": {}}
    given = (MentionGiven(written="@a.py", words="1 line"),)
    assert own_words(UserMessage(parts=(text, head, picture), mentions=given)) == "see @a.py"
    assert own_words(UserMessage(parts=(head,))) == head["text"]
    assert own_words(UserMessage(parts=(text,), mentions=given)) == "see @a.py"
