"""Secrets are removed, and nothing that only resembles one."""

import base64
import hashlib
import json
import logging
import random
import string
import subprocess
import sys
import time
import uuid
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.gate.log_redaction import RedactingFilter
from desktop.domain.gate.redaction import Redactor, is_random
from tests.domain.plain_redaction import plain

ROOT = Path(__file__).parents[3]
VALUE = "s3cr3t-Välue/9+x"
SOURCE = "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=400))
KEYS = [
    ("Anthropic key", "sk-ant-api03-" + SOURCE[:40]), ("OpenAI key", "sk-proj-" + SOURCE[:48]),
    ("GitHub token", "ghp_" + SOURCE[:36]), ("GitHub token", "github_pat_" + SOURCE[:60]),
    ("GitLab token", "glpat-" + SOURCE[:20]), ("AWS key id", "AKIAIOSFODNN7EXAMPLE"),
    ("Slack token", "xoxb-123456789012-" + SOURCE[:24]),
    ("Slack hook", "https://hooks.slack.com/services/T00/B00/" + SOURCE[:24]), ("Google key", "AIza" + SOURCE[:35]),
    ("Google token", "ya29." + SOURCE[:40]), ("Stripe key", "sk_live_" + SOURCE[:24]),
    ("npm token", "npm_" + SOURCE[:36]),
    ("PyPI token", "pypi-AgE" + SOURCE[:60]), ("Hugging Face token", "hf_" + SOURCE[:34]),
    ("SendGrid key", f"SG.{SOURCE[:22]}.{SOURCE[22:65]}"),
    ("web token", f"eyJ{SOURCE[:20]}.eyJ{SOURCE[:30]}.{SOURCE[:43]}"),
    ("private key", f"-----BEGIN RSA PRIVATE KEY-----\n{SOURCE}\n-----END RSA PRIVATE KEY-----"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "key"), KEYS, ids=[f"{name}-{n}" for n, (name, _key) in enumerate(KEYS)])
def test_a_string_shaped_like_a_key_is_removed(name, key):
    found = Redactor().redact(f'before "{key}" after')
    assert (found.text, found.found) == (f'before "[secret {name} removed]" after', (name,))


ESCAPES = [
    r"\n", r"\\n", r"\t", r"\r\n", r"\u000a", r"\u003d", r"\U0000000a", r"\x0a", r"\x00", r"\012", r"\0", "%20", "%3D",
    "%3d", "%0A", "%253D", "%5Cn", r"\u005cn", "=3D", "\x1b[m", "\x1b[1m", "\x1b[32m", "\x1b[1;32m",
]  # fmt: skip


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize(("name", "key"), KEYS, ids=[f"{name}-{n}" for n, (name, _key) in enumerate(KEYS)])
def test_a_key_is_removed_behind_whatever_a_character_is_escaped_as(name, key, escape):
    found = Redactor().redact(f"before{escape}{key}{escape}after")
    assert found.text.startswith(f"before{escape}[secret {name} removed]")
    assert name in found.found


@pytest.mark.parametrize(("name", "key"), KEYS, ids=[f"{name}-{n}" for n, (name, _key) in enumerate(KEYS)])
def test_a_key_is_removed_in_json_and_source_text_however_often_that_is_quoted_again(name, key):
    text = f"log:\n{key}\n\tsent"
    for written in (
        json.dumps(text),
        json.dumps(json.dumps(text)),
        repr(text),
        repr(text.encode()),
        repr([repr(text)]),
    ):
        assert name in Redactor().redact(written).found, written


def test_a_start_of_a_key_within_a_word_is_none_and_no_escape_makes_one():
    for text in ("xghp_" + SOURCE[:36], "task-sk-ant-" + SOURCE[:40], "a_npm_" + SOURCE[:36], "100hf_" + SOURCE[:34]):
        assert Redactor().redact(text).found == ()


@pytest.mark.promise("memory-CR6")
def test_a_value_of_several_lines_is_removed_line_by_line_and_as_json_writes_it():
    value = 'first"line é1234\nsecond\\line-5678'
    redactor = Redactor({"pem": value})
    for text in (*value.splitlines(), json.dumps(value), json.dumps(value, ensure_ascii=False), repr(value)):
        assert redactor.redact(f"a {text} b").found == ("pem",)
    assert redactor.redact("first line second").found == ()


@pytest.mark.parametrize(
    "spelling",
    [
        VALUE, quote(VALUE, safe=""), base64.b64encode(VALUE.encode()).decode(),
        base64.b64encode(f"user:{VALUE}".encode()).decode(), base64.urlsafe_b64encode(f"ab{VALUE}c".encode()).decode(),
        VALUE.encode().hex(), VALUE.encode().hex().upper(),
    ],
)  # fmt: skip
def test_a_known_value_is_removed_in_each_spelling(spelling):
    found = Redactor({"main [key]": VALUE, "tiny": "abc"}).redact(f"x {spelling} abc")
    assert found.found == ("main key",)
    assert "[secret main key removed]" in found.text
    assert found.text.endswith("abc")
    assert VALUE not in found.text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("password: Xk29fLq8ZpR1vTn4", "password"), ('"API_KEY": "q8R2tY6uW1eZ4xC7"', "api_key"),
        ("password = hunter2-Tr0ub4dor&3-x9", "password"), ("passwd='S3cure!Pass#9'", "passwd"),
        (r'{\"token\": \"Xk29fLq8ZpR1vTn4\"}', "token"), (r'"{\\\"secret\\\": \\\"c0rrect-h0rse!9\\\"}"', "secret"),
        ("secret%3DXk29fLq8ZpR1vTn4", "secret"), ("password: Tr0ub4dor&3", "password"),
        ("token=p4ssw0rd!2024x&page=2", "token"), ("DB_PASSWORD=Winter2024!#\n", "password"),
        ("DB_TOKEN=a1B2c3D4e5F6g7H8;", "token"), ("postgres://u:pa55w0rdX@h/db", "password in an address"),
    ],
)  # fmt: skip
def test_what_is_assigned_to_a_secret_name_is_removed(text, name):
    found = Redactor().redact(text)
    assert found.found == (name,)
    assert f"[secret {name} removed]" in found.text


@pytest.mark.parametrize(
    "text",
    [
        hashlib.sha1(b"a").hexdigest(), f"sha256:{hashlib.sha256(b'b').hexdigest()}", str(uuid.UUID(int=7)),
        f"integrity: sha512-{base64.b64encode(hashlib.sha512(b'c').digest()).decode()}",
        f"token={hashlib.sha256(b'd').hexdigest()}", "token = get_token(user_id)", "api_key=os.environ['X_KEY']",
        "password: str = Field(default=...)", "secret: 123e4567-e89b-12d3-a456-426614174000", "max_tokens: 4096",
        "token=claude-opus-4-20250514", "password=changeme", "secretKeyRef: name", "see https://x.y:8080/a@b",
        "postgres://user:password@localhost/db", "postgres://user:${PASSWORD}@h", "password: sha256-abcDEF123456",
        base64.b64encode(bytes(range(200))).decode(), "sk-learn-based-classifier-with-long-name-and-more-words-0",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "index e83c516..e69de29 100644", "AKIA",
        "password = get_password()", "password = config.get('Db1!')", "secret = Vault2.read_secret@latest()",
        "token := os.Getenv[Key1]", "password=$DB_Password1", "PASSWORD=%DbPassword1%", "api_key=${KEY_1}",
        '"token-lib": "^1.2.3-beta.10"', '"@types/token": "~2.0.0-rc.1"', "token: Package@1.2.3-beta",
        "secret: issue#1234567", "token=none&page=1234", "secret: /run/Secrets/db1@x", "password: user1@Example2.com",
        "token: us-east1b-k8s-prod", "secret_key = settings.SECRET_KEY_2", "token = tokens[index2]",
        "password == Other2.password", "printf 'token: %s-%d-K8s'", "token=*Lexer2.token", "password: ********",
        "api_key: YOUR_API_KEY-123", "secret: my-secret-7d9f8c6b5-x2x4z", "private_key=KEY1&&run", "token = Token2 + 1",
        "The password: at least 8 characters, 1 capital & 1 sign!",
        "The secret: keep it simple. Password policies are documented below, tokens too.",
    ],
)  # fmt: skip
def test_what_only_resembles_a_secret_stays(text):
    found = Redactor({"k": "zzzzzzzz"}).redact(text)
    assert (found.text, found.found) == (text, ())


@given(st.lists(st.sampled_from([*(key for _name, key in KEYS), VALUE, "token=", "[secret ", " removed]", "a ", "\n"])))
def test_redacting_again_changes_nothing(pieces):
    redactor = Redactor({"one": VALUE, "removed": "removed]"})
    once = redactor.redact("".join(pieces))
    assert redactor.redact(once.text).text == once.text
    assert VALUE not in once.text


PIECES = [
    *(key for _name, key in KEYS), VALUE, quote(VALUE, safe=""), base64.b64encode(f"ab{VALUE}".encode()).decode(),
    "token=", "[secret ", " removed]", "[secret one removed]", "a ", "\n", '"', "'", ": ", "password", "api_key", "=",
    "=>", "://", "u:", "pa55w0rdX@", "changeme@", "postgres://", "h", "/", " ", "-", "_", ".", "ghp_", "AKIA", "TOKEN",
    "Xk29fLq8ZpR1vTn4", "multi\nline secret", "\0", "\u017fecret", "\u212aey", "gh", "-----BEGIN", "sk-", "eyJ",
]  # fmt: skip
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.builds(
            lambda piece, start, end: piece[start:end], st.sampled_from(PIECES), st.integers(0, 3), st.integers(3, 99)
        ),
        st.text(max_size=5),
    ),
    max_size=10,
).map("".join)
REDACTORS = [
    Redactor(), Redactor({"one": VALUE, "removed": "removed]"}), Redactor({"k": "zzzzzzzz", "m": "multi\nline secret"}),
]  # fmt: skip


@pytest.mark.timeout(120)
@settings(max_examples=500, deadline=None)
@given(TEXTS, st.sampled_from(REDACTORS))
def test_the_searches_before_the_shapes_rule_out_nothing_that_is_removed(text, redactor):
    assert redactor.redact(text).text == plain(redactor, is_random).redact(text)


@given(st.lists(TEXTS, max_size=5), st.sampled_from(REDACTORS))
def test_texts_joined_by_line_breaks_stay_only_if_each_of_them_stays(texts, redactor):
    joined = "\n".join(texts)
    if redactor.redact(joined).text == joined:
        assert [redactor.redact(text).text for text in texts] == texts


def test_what_stands_before_a_removed_address_is_removed_at_once():
    text = "AKIAIOSFODNN7EXAMPLEhttps://hooks.slack.com/services/T00/B00/" + SOURCE[:24]
    assert Redactor().redact(text).text == "[secret AWS key id removed][secret Slack hook removed]"


def test_loading_the_module_compiles_no_pattern():
    program = (
        "import re\n"
        "from desktop.domain.core import base\n"
        "made = []\n"
        "plain = re.compile\n"
        "re.compile = lambda text, *rest: made.append(str(text)) or plain(text, *rest)\n"
        "from desktop.domain.gate.redaction import Redactor\n"
        "assert Redactor({'one': 'correct-horse'}).redact('ordinary text: nothing in it').found == ()\n"
        "assert not any('passwd' in text or 'removed' in text for text in made), made\n"
        "assert Redactor().redact('token=aB3dE5gH7jK9mN1p').found == ('token',)\n"
        "assert any('passwd' in text for text in made)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@given(st.text(max_size=80))
def test_ordinary_text_stays(text):
    assert Redactor().redact(text).text == text


@pytest.mark.promise("gate-K5")
def test_known_secrets_are_named_in_a_command_without_changing_it():
    assert Redactor({"one": VALUE}).known_in(f"curl -H {VALUE} {VALUE}") == ("one",)
    assert Redactor().known_in("curl") == ()
    assert Redactor({"": VALUE}).known_in(VALUE) == ("value",)


@pytest.mark.timeout(120)
def test_long_texts_of_whatever_looks_like_a_start_take_time_by_their_length():
    def seconds(text: str) -> float:
        began = time.process_time()
        Redactor().redact(text)
        return time.process_time() - began

    for piece in (
        "ghp_",
        r"\nghp_",
        "sk-",
        "%20xoxb-",
        "password=",
        "token=Aa1!",
        'secret":"',
        "eyJ",
        "%25",
        "token=&a=",
        "\\",
    ):
        short, long = "ghp_token=" + piece * 20_000, "ghp_token=" + piece * 80_000
        assert seconds(long) < 16 * max(seconds(short), 0.005), piece


@pytest.mark.promise("gate-K4")
def test_log_records_lose_their_secrets_in_message_and_traceback():
    cleaner = RedactingFilter(Redactor({"one": VALUE}))
    record = logging.LogRecord("a", logging.INFO, "f", 1, "sent %s", (VALUE,), None)
    assert cleaner.filter(record)
    assert record.getMessage() == "sent [secret one removed]"
    try:
        raise ValueError(VALUE)
    except ValueError:
        record = logging.LogRecord("a", logging.ERROR, "f", 1, "failed", (), sys.exc_info())
    assert RedactingFilter(Redactor({"one": VALUE})).filter(record)
    assert VALUE not in logging.Formatter().format(record)
    assert RedactingFilter().filter(record)


def test_the_marks_in_a_text_are_told_and_a_spelling_that_holds_another_is_found_by_it():
    redactor = Redactor({"short": "abcdefgh", "long": "xx-abcdefgh-yy"})
    text = redactor.redact("a xx-abcdefgh-yy b abcdefgh [secret other removed]").text
    assert text == "a [secret long removed] b [secret short removed] [secret other removed]"
    assert redactor.marks_in(text) == ("[secret long removed]", "[secret short removed]")
    assert redactor.marks_in("[secret") == ()


def test_what_is_taken_out_is_told_with_its_name_and_comes_once():
    known = Redactor({"Shop": "s3cret-of-the-shop"})
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    text = f"{key} s3cret-of-the-shop https://me:pass-word1@host {key} password=Tr4vel!Bag77"
    clean, taken = known.take_out(text)
    assert dict(taken) == {
        "GitHub token": key, "Shop": "s3cret-of-the-shop", "password in an address": "pass-word1",
        "password": "Tr4vel!Bag77",
    }  # fmt: skip
    assert len(taken) == 4
    assert clean == known.redact(text).text
    assert not any(value in clean for _name, value in taken)
    assert known.take_out("nothing of that kind") == ("nothing of that kind", ())
