"""`banksman rules` as a person uses it: list, simulate, trust, in a real repository with a real store."""

import subprocess
import sys

import pytest

from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import SessionStarted, ToolCallDecided, ToolCallFinished
from desktop.services.projects import project_id
from desktop.store.database import open_store
from tests.cli.running import ROOT, Cli

LIGHT = (
    "import sys; from desktop.cli.rules import main; "
    "assert not {'PySide6', 'qasync', 'anthropic'} & set(sys.modules)"
)  # fmt: skip


@pytest.fixture
def cli(tmp_path):
    repository = tmp_path / "shop"
    repository.mkdir()
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    return Cli(tmp_path / "home", repository)


def remember(cli, *calls):
    store = open_store(cli.folders().store)
    try:
        session_id = new_session_id()
        project = project_id(cli.folder / ".git")
        begun = SessionStarted(
            project_id=project, kind="interactive", mode=PermissionMode.EDIT, app_version="1", title=""
        )
        store.events.append(session_id, begun)
        for number, (command, verdict, outcome) in enumerate(calls):
            decided = ToolCallDecided(
                call_id=f"c{number}", name_called="bash", tool="bash", input={"command": command}, verdict=verdict,
                rule="mode", mode=PermissionMode.EDIT,
            )  # fmt: skip
            finished = ToolCallFinished(call_id=f"c{number}", outcome=outcome)
            store.events.append_many(session_id, [decided, finished])
    finally:
        store.close()


def test_past_commands_are_listed_declined_ones_first(cli):
    remember(
        cli,
        ("npm run test -- -q", Verdict.ASK, "declined"),
        ("npm run test", Verdict.ALLOW, "ok"),
        ("npm run test; rm -r x", Verdict.ASK, "declined"),
        ("npm run test \u202e", Verdict.ASK, "declined"),
    )
    done = cli.run("rules", "simulate", "--allow", "npm run test")
    assert done.status == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "2 of 4 past commands match."
    assert lines[1] == "1 asked then and would run now: 1 you declined, 0 others."
    assert lines[2].startswith("  declined")
    assert lines[3].startswith("  allowed")
    (found,) = cli.run("rules", "simulate", "--deny", "npm run", "--scope", "user", "--json").lines
    assert (found["would_match"], found["newly_denied"], found["checked"]) == (4, 1, 4)
    denied = cli.run("rules", "simulate", "--deny", "npm run").stdout
    assert "1 ran then and would not without you now." in denied
    assert "⟦U+202E⟧" in denied


def test_nothing_that_matches_is_exit_status_one(cli):
    done = cli.run("rules", "simulate", "--ask", "npm install")
    assert (done.status, done.stdout) == (1, "0 of 0 past commands match.\n")


def test_wrong_usage_is_a_sentence_and_exit_status_two(cli, tmp_path):
    for words, sentence in (
        ((), "the following arguments are required"),
        (("simulate",), "Give one of --allow, --ask and --deny"),
        (("simulate", "--allow", "a", "--deny", "b"), "Give one of --allow, --ask and --deny"),
        (("simulate", "--allow", "bash"), "bash runs whatever follows it"),
        (("simulate", "--allow", " "), "needs tokens"),
        (("list", "--project", str(tmp_path)), "is not a git repository"),
    ):
        done = cli.run("rules", *words)
        assert done.status == 2
        assert sentence in done.stderr
    assert cli.run("rules", "--help").status == 0


SHARED = """\
[[rule]]
id = "r-1"
decision = "allow"
kind = "command"
tokens = ["npm", "test"]
[[rule]]
id = "r-2"
decision = "deny"
kind = "tool"
name = "x"
colour = 1
"""


def test_shared_rules_are_shown_trusted_and_listed(cli):
    (cli.folder / ".banksman").mkdir()
    (cli.folder / ".banksman" / "rules.toml").write_text(SHARED)
    listed = cli.run("rules", "list").stdout
    assert "r-1  allow  command  npm test  (off: Waits until you trust this content of the file.)" in listed
    assert "r-2  deny   tool  x  (flagged: Line 6: unknown key 'colour')" in listed
    assert "user: " in listed
    shown = cli.run("rules", "trust").stdout.splitlines()
    command = shown[-1].partition("banksman ")[2].split()
    assert shown[-1].startswith("To let 1 allow rules count: ")
    cli.environ["BANKSMAN_LANE"] = "ln_1"
    refused = cli.run(*command)
    assert (refused.status, "Only a person trusts rules" in refused.stderr) == (2, True)
    del cli.environ["BANKSMAN_LANE"]
    trusted = cli.run(*command)
    assert (trusted.status, trusted.stdout.startswith("1 allow rules of ")) == (0, True)
    assert cli.run("rules", "trust").stdout.splitlines()[-1] == "No allow rule waits for your trust."
    (found,) = cli.run("rules", "trust", "--json").lines
    assert (found["scope"], found["waiting"]) == ("shared", [])
    assert cli.run("rules", "trust", "0" * 64).status == 2


def test_a_file_that_cannot_be_read_is_told_of(cli):
    (cli.folder / ".banksman").mkdir()
    (cli.folder / ".banksman" / "rules.toml").write_text("x = [")
    assert "  ! " in cli.run("rules", "list").stdout
    (found,) = cli.run("rules", "list", "--json").lines
    assert "line 1" in found["files"][3]["problem"]


def test_no_window_and_no_model_library_is_loaded():
    subprocess.run([sys.executable, "-c", LIGHT], check=True, cwd=ROOT, timeout=25)
