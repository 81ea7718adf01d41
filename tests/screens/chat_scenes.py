"""Scenes of the chat: empty, as in the mock, every kind of row, streaming, failures, what a restart left."""

from collections.abc import AsyncIterator

from desktop.domain.commands import ArchiveSession
from desktop.domain.core.permissions import PermissionMode
from tests.fakes.fake_model_api import Call, http_failure, text_turn, tool_turn, turn
from tests.screens.samples import CHANGES, NEW, OLD, TASK, TEST
from tests.screens.stage import Stage

EXPLANATION = (
    "The middleware clears the cookie but keeps the `next` parameter, so each redirect re-adds it. I will confirm with "
    "the tests before I change `auth/middleware.py`."
)
UNITTEST = "python3 -m unittest -q tests.test_auth"
OLD_NOTES = "Old notes.\nMore old notes.\n"
MARKDOWN = """## What happens

Each redirect **adds** the `next` parameter again, see `auth/middleware.py`:

1. The cookie is deleted.
2. `login(target)` quotes the *whole* address, its old parameter included.
   - so it grows with every round
   - until the browser gives up

> A redirect must never name itself.

| Round | Length of the address | Answer |
|---|---:|---|
| 1 | 31 | 302 |
| 2 | 74 | 302 |
| 20 | 8,190 | 431 |

```python
def expire(request, response):
    target = strip_next(request.url)  # no parameter of an earlier round
    return redirect(login(target)) if target != login() else response
```

- [x] found the cause
- [ ] changed the middleware

More in the [documentation](https://docs.example.org/redirects)."""


async def chat_empty(stage: Stage) -> AsyncIterator[str]:
    """03"""
    stage.window.new_chat()
    await stage.rest()
    yield "03-chat-empty"


async def chat_as_in_the_mock(stage: Stage) -> AsyncIterator[str]:
    """04"""
    stage.clock.back(days=5)
    await stage.ended(await stage.chat("Which tests are slow?", text_turn("None is."), place="checkout", show=False))
    stage.clock.back(days=1)
    chat = await stage.chat("Explain the retry policy", text_turn("It waits."), place="checkout", show=False)
    await stage.ended(chat)
    stage.clock.back(hours=2)
    typos = await stage.chat(
        "Docs typos", tool_turn("read_file", file_path="docs/changes.md"),
        tool_turn("edit_file", file_path="docs/changes.md", old_string="prices", new_string="totals"),
        text_turn("Done."), show=False,
    )  # fmt: skip
    await stage.ended(typos)
    stage.clock.back(minutes=20)
    broken = http_failure(401, "authentication_error", "invalid x-api-key")
    await stage.ended(await stage.chat("Flaky timer", broken, show=False))
    stage.clock.back(minutes=9)
    ask = {
        "id": "dialect", "question": "Which dialect should be the default?", "header": "which dialect?",
        "options": [{"label": "PostgreSQL"}, {"label": "SQLite"}],
    }  # fmt: skip
    bump = await stage.chat("Bump sqlglot to 30", tool_turn("ask_user", title="Dialect", questions=[ask]), show=False)
    await stage.asked(bump)
    stage.clock.back(minutes=4)
    await stage.chat("Speed up the start", turn("I measure first.", fault="stall", piece=100), show=False)
    stage.clock.back(minutes=2)
    work = [Call("read_file", {"file_path": "auth/middleware.py"}), Call("grep", {"pattern": "next=", "path": "auth"})]
    edit = Call("edit_file", {"file_path": "auth/middleware.py", "old_string": OLD, "new_string": NEW})
    main = await stage.chat(
        TASK, turn(EXPLANATION, work), turn("", [edit]), tool_turn("bash", command=UNITTEST),
        title="Fix login redirect loop",
    )  # fmt: skip
    await stage.asked(main)
    stage.write_in_lane(main, "tests/test_auth.py", TEST)
    stage.write_in_lane(main, "docs/changes.md", CHANGES.replace(OLD_NOTES, ""))
    await stage.click("changes_refresh")
    stage.clock.back()
    stage.window.new_chat()
    await stage.rename(main, "Fix login redirect loop ")
    stage.window.open_chat(main)
    for note in tuple(stage.window.notes.area.toasts):
        note.dismiss()
    await stage.card()
    yield "04-chat-as-in-the-mock"


async def _login_chat(stage: Stage) -> str:
    reads = [
        Call("read_file", {"file_path": "auth/middleware.py"}),
        Call("grep", {"pattern": "next=", "path": "auth"}),
        Call("read_file", {"file_path": "docs/changes.md"}),
    ]
    changes = [
        Call("edit_file", {"file_path": "auth/middleware.py", "old_string": OLD, "new_string": NEW}),
        Call("write_file", {"file_path": "tests/test_auth.py", "content": TEST}),
        Call(
            "edit_file",
            {"file_path": "docs/changes.md", "old_string": "Old notes.\nMore old notes.\n", "new_string": ""},
        ),
    ]
    return await stage.chat(
        TASK, turn(EXPLANATION, reads), turn("", changes), tool_turn("bash", command=UNITTEST),
        title="Fix login redirect loop",
    )  # fmt: skip


async def transcript_all_row_kinds(stage: Stage) -> AsyncIterator[str]:
    """05 and 06"""
    todos = [
        {"id": "1", "content": "Find the cause", "status": "completed"},
        {"id": "2", "content": "Change the middleware", "status": "in_progress"},
        {"id": "3", "content": "Show that the tests pass", "status": "pending"},
    ]
    chat = await stage.chat(
        TASK,
        turn(EXPLANATION, [("read_file", {"file_path": "auth/middleware.py"})], thinking="A loop of redirects. " * 9),
        tool_turn("todo_write", todos=todos),
        turn("", [Call("grep", {"pattern": "next", "path": "auth"}), Call("list_dir", {"path": "."}),
                  Call("read_file", {"file_path": "auth/missing.py"})]),
        tool_turn("edit_file", file_path="auth/middleware.py", old_string=OLD, new_string=NEW),
        tool_turn("write_file", file_path="tests/test_auth.py", content=TEST),
        tool_turn("bash", command="python3 -m unittest -v tests.test_auth"),
        text_turn(MARKDOWN),
        text_turn("I keep the tests for the next turn."),
        title="Fix login redirect loop",
    )  # fmt: skip
    await stage.answer(chat)
    await stage.ended(chat)
    yield "05-transcript-all-row-kinds-1"
    command = "printf 'one\\n\\033[32mpassed\\033[0m 3\\n\\033[31mfailed\\033[0m 1\\n'; exit 3"
    stage.script(
        TASK,
        turn("One more look at the notes.", [Call("bash", {"command": command})]),
        tool_turn("bash", command="rm -rf docs"),
        tool_turn("bash", command="git push --force origin main"),
        text_turn("I leave the notes as they are."),
        text_turn("The tests are still to be shown."),
    )
    await stage.say(chat, "Look at the notes too")
    await stage.answer(chat)
    await stage.answer(chat, "reject", note="Keep the notes, only the code changes.")
    await _answer_while_open(stage, chat)
    await stage.ended(chat, 2)
    yield "06-transcript-all-row-kinds-2"


async def _answer_while_open(stage: Stage, chat: str) -> None:
    """Decline what still asks, until the turn ends."""
    while not stage.has_ended(chat, 2):
        if stage.open_input(chat) is not None:
            await stage.answer(chat, "reject")
        await stage.rest(0.05)


async def transcript_streaming_with_pill(stage: Stage) -> AsyncIterator[str]:
    """07"""
    chat = await stage.chat(
        "Explain the login in detail", text_turn("\n\n".join([MARKDOWN] * 2)), title="Explain the login"
    )
    await stage.ended(chat)
    stage.script("Explain the login in detail", text_turn("\n\n".join([MARKDOWN] * 6), delay_s=0.12, piece=12))
    await stage.say(chat, "And once more, slowly")
    await stage.rest(1.0)
    stage.scroll_up(400)
    await stage.find("transcript_jump_latest")
    await stage.rest(0.5)
    yield "07-transcript-streaming-with-pill"


async def transcript_error_retry(stage: Stage) -> AsyncIterator[str]:
    """09"""
    overloaded = http_failure(529, "overloaded_error", "Overloaded", headers={"retry-after": "60"})
    stage.window.new_chat()
    stage.script("Explain the retry policy", overloaded)
    await stage.type("composer_text", "Explain the retry policy")
    await stage.click("composer_send")
    chat = await stage.until(lambda: stage.window.page.session_id, "the chat")
    await stage.until(lambda: stage.window.book.facts(chat).retry_at, "the retry")
    await stage.rest()
    yield "09-transcript-retry"
    bad = http_failure(401, "authentication_error", "invalid x-api-key")
    other = await stage.chat("Describe the cart", bad)
    await stage.ended(other)
    yield "09-transcript-error"


async def card_interrupted(stage: Stage) -> AsyncIterator[str]:
    """20"""
    stage.clock.back(hours=3)
    build = turn(EXPLANATION, [("bash", {"command": "npm run build"})])
    chat = await stage.chat(TASK, build, title="Fix login redirect loop")
    await stage.asked(chat)
    stage.clock.back()
    await stage.lose_power()
    await stage.until(lambda: stage.window.book.summary(chat), "the chat")
    stage.window.open_chat(chat)
    await stage.card("interrupted_card")
    yield "20-card-interrupted-after-restart"


async def full_auto_with_review_records(stage: Stage) -> AsyncIterator[str]:
    """26"""
    chat = await stage.chat(
        TASK, tool_turn("read_file", file_path="auth/middleware.py"),
        tool_turn("edit_file", file_path="auth/middleware.py", old_string=OLD, new_string=NEW),
        tool_turn("bash", command="python3 -m compileall -q auth && echo compiled"), text_turn("It compiles."),
        mode=PermissionMode.FULL_AUTO, without_sandbox=True, title="Fix login redirect loop",
    )  # fmt: skip
    await stage.ended(chat)
    yield "26-full-auto-with-review-records"


async def refusals(stage: Stage) -> AsyncIterator[str]:
    """43"""
    chat = await stage.chat(
        "Plan how the login should work",
        turn("I look for a short way.", [
            ("write_file", {"file_path": "plan.txt", "content": "x"}), ("read_file", {"file_path": "/etc/shadow"}),
            ("edit_file", {"file_path": ".git/config", "old_string": "a", "new_string": "b"}),
        ]),
        text_turn("None of these is possible in plan mode."),
        mode=PermissionMode.PLAN,
    )  # fmt: skip
    while not stage.has_ended(chat):
        if stage.open_input(chat) is not None:
            await stage.answer(chat, "reject")
        await stage.rest(0.05)
    await stage.show_tab("Audit")
    yield "43-refusals-and-audit"


async def changes_and_lists(stage: Stage) -> AsyncIterator[str]:
    """27 and 31"""
    chat = await _login_chat(stage)
    await stage.answer(chat)
    stage.script(TASK, text_turn("Done."))
    await stage.ended(chat)
    await stage.show_tab("Changes")
    await stage.rest(1)
    yield "27-changes-diff"
    todos = [{"id": str(n), "content": text, "status": status} for n, (text, status) in enumerate((
        ("Find the cause of the loop", "completed"), ("Add a test that fails", "completed"),
        ("Change auth/middleware.py so that the parameter of an earlier round is dropped", "in_progress"),
        ("Run the whole suite", "pending"), ("Write a line in docs/changes.md", "pending"),
    ))]  # fmt: skip
    stage.script(
        TASK, tool_turn("todo_write", todos=todos), text_turn("Listed."), text_turn("I go on when you say so.")
    )
    await stage.say(chat, "Make a list")
    await stage.ended(chat, 2)
    await stage.show_tab("Todos")
    yield "31-todos"
    await stage.show_tab("Audit")
    yield "31-audit"


async def archived_chat(stage: Stage) -> AsyncIterator[str]:
    """35"""
    chat = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(chat)
    stage.send(ArchiveSession(session_id=chat))
    await stage.until(lambda: stage.window.book.facts(chat).archived, "the archive")
    await stage.rest()
    yield "35-chat-archived"
