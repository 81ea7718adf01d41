"""Files of rules: read with their faults, written whole, trusted by content (gate 5.1, 5.2)."""

import contextlib
import fcntl
import os
import stat
import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.core.errors import RuleError
from desktop.domain.gate.rules import Bind, Rule
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.store.gate.rule_file import parse_rules, rule_table
from desktop.store.gate.rules import SHARED_FILE, WAITING, RuleStore, default_managed_path

WORLD = TextWorld()
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ALLOW = '[[rule]]\nid = "r-1"\ndecision = "allow"\nkind = "command"\ntokens = ["npm", "test"]\n'
DENY = '[[rule]]\nid = "r-2"\ndecision = "deny"\nkind = "command"\ntokens = ["git", "push"]\n'
LINES = {"match": ("npm test",), "not_match": ("npm tests",)}


def judge(line):
    return assess_shell(line, WORLD)


class Place:
    """A store below tmp_path with a clock that is set by hand, and its four files."""

    def __init__(self, folder):
        self.now = NOW
        self.root = folder / "repository"
        self.files = {
            "managed": folder / "etc" / "rules.toml",
            "user": folder / "config" / "rules.toml",
            "project": folder / "data" / "rules" / "prj_1.toml",
            "shared": self.root / SHARED_FILE,
        }
        self.store = self.another()

    def another(self):
        return RuleStore(
            self.files["project"].parents[1],
            self.files["user"].parent,
            judge=judge,
            managed_path=self.files["managed"],
            clock=lambda: self.now,
        )

    def write(self, scope, text):
        self.files[scope].parent.mkdir(parents=True, exist_ok=True)
        self.files[scope].write_bytes(text if isinstance(text, bytes) else text.encode())

    def book(self):
        return self.store.book("prj_1", self.root)

    def ids(self):
        return [rule.id for rule in self.book().rules]

    def problems(self, scope):
        return [state.problem for file in self.book().files if file.scope == scope for state in file.rules]

    def save(self, words="npm test", scope="project", **fields):
        rule = Rule(id="x", decision="allow", kind="command", tokens=tuple(words.split()), **{**LINES, **fields})
        return self.store.save(rule, scope, "prj_1")


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_missing_files_are_empty_files(place):
    book = place.book()
    assert (book.rules, book.unreadable, book.waiting) == ((), "", ())
    assert [file.scope for file in book.files] == ["managed", "user", "project", "shared"]


def test_rules_of_every_file_count_and_know_their_scope(place):
    place.write("managed", DENY)
    place.write("user", ALLOW)
    place.write("project", ALLOW.replace("r-1", "r-3"))
    assert [(rule.id, rule.scope) for rule in place.book().rules] == [
        ("r-2", "managed"), ("r-1", "user"), ("r-3", "project")
    ]  # fmt: skip


def test_a_changed_file_counts_at_once_and_an_unchanged_one_is_not_read(place):
    place.write("user", ALLOW)
    first = place.book()
    assert place.book() is first
    place.write("user", ALLOW + DENY)
    assert place.ids() == ["r-1", "r-2"]
    place.files["user"].unlink()
    assert place.ids() == []


@pytest.mark.promise("gate-R2")
def test_a_saved_rule_has_id_time_and_scope_and_is_private(place):
    saved = place.save(created_by="card", request_id="in-1", reason="unit tests", expires_at=NOW + timedelta(days=1))
    assert saved.id.startswith("r-")
    assert (saved.scope, saved.created_at) == ("project", NOW)
    assert place.book().rules == (saved,)
    assert stat.S_IMODE(place.files["project"].stat().st_mode) == 0o600
    assert stat.S_IMODE(place.files["project"].parent.stat().st_mode) == 0o700
    assert place.another().book("prj_1", None).rules == (saved,)


@pytest.mark.promise("gate-R2")
def test_comments_and_other_rules_stay_when_a_rule_is_added_replaced_and_removed(place):
    place.write("user", f"# mine\nversion = 1\n\n{DENY}reason = 'no' # never\n")
    saved = place.save(scope="user")
    text = place.files["user"].read_text()
    assert text.startswith("# mine\n")
    assert "# never" in text
    changed = place.store.replace(saved.model_copy(update={"reason": "why"}), "user")
    assert place.book().rules[1] == changed
    place.store.remove(saved.id, "user")
    assert place.ids() == ["r-2"]
    place.store.remove("r-2", "user")
    assert place.files["user"].read_text().startswith("# mine\n")
    with pytest.raises(RuleError, match="no rule r-2 any more"):
        place.store.remove("r-2", "user")


def test_a_rule_without_an_id_can_be_removed(place):
    place.write("user", DENY.replace('id = "r-2"\n', ""))
    (found,) = place.ids()
    place.store.remove(found, "user")
    assert place.ids() == []


def test_rules_that_may_not_be_saved_are_refused_in_a_sentence(place):
    with pytest.raises(RuleError, match="'bash' was not saved: bash runs whatever follows"):
        place.save("bash")
    with pytest.raises(RuleError, match="at least one line"):
        place.save(match=())
    rule = Rule(id="x", decision="allow", kind="command", tokens=("npm", "test"), **LINES)
    with pytest.raises(RuleError, match="does not match this call"):
        place.store.save(rule, "user", call="npm ci")
    with pytest.raises(RuleError, match="does not write managed rules"):
        place.store.save(rule, "managed")
    with pytest.raises(RuleError, match="Open a project first"):
        place.store.save(rule, "project", "../x")
    with pytest.raises(RuleError, match="There is no file for session rules"):
        place.store.path("session")
    assert place.store.path("managed") == place.files["managed"]
    assert place.ids() == []


def test_nothing_is_written_over_a_file_that_cannot_be_read(place):
    place.write("user", "a = [\n")
    with pytest.raises(RuleError, match=r"line \d.*nothing was saved"):
        place.save(scope="user")
    place.write("user", 'rule = [{id = "r-9", decision = "deny", kind = "tool", name = "x"}]\n')
    assert place.ids() == ["r-9"]
    with pytest.raises(RuleError, match=r"rules are written as \[\[rule\]\]"):
        place.save(scope="user")


def test_a_full_disk_or_a_locked_file_saves_nothing(place, tmp_path):
    (tmp_path / "data").write_text("a file where a folder must be")
    with pytest.raises(RuleError, match="Nothing was changed"):
        place.save()
    place.files["user"].parent.mkdir()
    with (place.files["user"].parent / ".rules.lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(RuleError, match="being changed by another program"):
            place.save(scope="user")


def test_two_writers_at_once_lose_nothing(place):
    def add():
        store = place.another()
        saved = 0
        while saved < 5:
            with contextlib.suppress(RuleError):  # "are being changed by another program. Try again."
                store.save(Rule(id="x", decision="deny", kind="tool", name="t"), "user")
                saved += 1

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(place.ids())) == 20


def test_an_unreadable_file_keeps_its_last_ask_and_deny_rules_and_loses_its_allow_rules(place):
    place.write("user", ALLOW + DENY)
    assert place.ids() == ["r-1", "r-2"]
    place.write("user", ALLOW + DENY + "[[rule]\n")
    book = place.book()
    assert place.ids() == ["r-2"]
    assert book.unreadable.startswith(f"{place.files['user']}, line 11: ")
    assert book.files[1].problem == book.unreadable
    assert place.another().book("prj_1", None).rules == ()
    place.write("user", ALLOW)
    assert place.ids() == ["r-1"]
    assert place.book().unreadable == ""


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff", "line 1: it is not UTF-8"), ("version = 2\n", "it is of version 2"),
        ("[[rules]]\nid = 'x'\n", "line 1: unknown key 'rules'"), ("rule = 3\n", "line 1: rules are written"),
        ("\n\nx = 1\n", "line 3: unknown key 'x'"), ("#" * 1_100_000, "larger than 1 MiB"),
        ("a = '''\n\n", "line 3"), ("a = " + "[" * 5000, "recursion"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_used_are_named_with_line_and_fault(place, content, words):
    place.write("project", content)
    assert words in place.book().unreadable


def test_a_folder_or_a_link_in_place_of_a_file_is_unreadable(place):
    place.files["user"].mkdir(parents=True)
    assert "not a regular file" in place.book().unreadable
    os.mkfifo(place.files["user"].with_name("fifo"))
    place.files["user"].rmdir()
    place.files["user"].with_name("fifo").rename(place.files["user"])
    assert "not a regular file" in place.book().unreadable
    place.write("managed", DENY)
    place.files["shared"].parent.mkdir(parents=True)
    place.files["shared"].symlink_to(place.files["managed"])
    assert str(place.files["shared"]) in place.book().unreadable


def test_a_loop_of_links_is_unreadable(place):
    place.files["user"].parent.mkdir()
    place.files["user"].symlink_to(place.files["user"])
    assert "cannot be read" in place.book().unreadable


def test_a_link_to_the_persons_own_file_is_followed_and_kept(place, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "rules.toml").write_text(DENY)
    place.files["user"].parent.mkdir()
    place.files["user"].symlink_to(tmp_path / "dotfiles" / "rules.toml")
    place.save(scope="user")
    assert len(place.ids()) == 2
    assert place.files["user"].is_symlink()


@pytest.mark.promise("gate-R7")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("colour = 1", "Line 1: unknown key 'colour'"), ("expires_at = 2026-11-21T00:00:00", "with its zone"),
        ("expires_at = 2026-11-21", "with its zone"), ("network = 'open'", "gives no network"),
        ("ops = ['fly']", "ops: "), ("lane = 3", "lane: "), ("match = ['ls']", "should match 'ls'"),
    ],
)  # fmt: skip
def test_an_invalid_allow_rule_is_off_and_an_invalid_deny_rule_holds(place, change, words):
    place.write("user", f"{ALLOW}{change}\n{DENY}{change}\n")
    assert place.ids() == ["r-2"]
    first, second = place.problems("user")
    assert words in first
    assert words.removeprefix("Line 1") in second


def test_a_rule_without_kind_decision_or_target_is_told_of(place):
    place.write("user", "[[rule]]\nkind = 'command'\ntokens = ['x']\n\n[[rule]]\ndecision = 'deny'\nkind = 'no'\n")
    (file,) = [file for file in place.book().files if file.scope == "user"]
    assert file.problem.startswith("Line 1: decision: Field required. Line 5: kind: ")
    place.write("user", "[[rule]]\ndecision = 'deny'\nkind = 'command'\ntokens = []\n")
    assert place.ids() == []
    assert "needs tokens" in place.problems("user")[0]


def test_two_rules_of_one_id_are_told_of(place):
    place.write("user", ALLOW + ALLOW)
    assert place.problems("user") == ["", "Line 6: another rule is called r-1 too"]
    assert place.ids() == ["r-1"]


def test_the_administrators_file_cannot_allow(place):
    place.write("managed", ALLOW + DENY)
    assert place.ids() == ["r-2"]


def test_network_off_and_bound_hashes_are_read_and_mean_nothing(place):
    place.write("user", f"{ALLOW}network = 'off'\nbinds = [{{ path = 'package.json', key = 'a', sha256 = '0' }}]\n")
    assert place.problems("user") == [""]
    assert place.book().rules[0].binds == (Bind(path="package.json", key="a", sha256="0"),)


def test_a_text_that_looks_like_a_header_hides_no_line_of_another(place):
    place.write("user", "[[rule]]\nid = 'a'\nreason = '''\n[[rule]]\n'''\ndecision = 'maybe'\n")
    (file,) = [file for file in place.book().files if file.scope == "user"]
    assert file.problem.startswith("decision: ")


def test_expired_rules_are_listed_for_thirty_days(place):
    place.save(expires_at=NOW + timedelta(hours=1))
    assert len(place.ids()) == 1
    place.now = NOW + timedelta(hours=1)
    assert place.ids() == []
    assert place.problems("project") == ["Expired."]
    place.now = NOW + timedelta(days=31)
    assert place.another().book("prj_1", None).files[2].rules == ()


def test_shared_rules_deny_at_once_and_allow_only_when_trusted(place):
    place.write("shared", ALLOW + DENY)
    book = place.book()
    assert place.ids() == ["r-2"]
    assert [rule.id for rule in book.waiting] == ["r-1"]
    assert place.problems("shared") == [WAITING, ""]
    assert [rule.id for rule in place.store.trust_shared("prj_1", place.root, book.files[3].sha256, "person")] == [
        "r-1"
    ]
    assert place.ids() == ["r-1", "r-2"]
    assert place.book().waiting == ()


def test_any_change_of_the_shared_file_voids_the_trust(place):
    place.write("shared", ALLOW)
    sha256 = place.book().files[3].sha256
    place.store.trust_shared("prj_1", place.root, sha256, "person")
    place.write("shared", ALLOW + "# a word\n")
    assert place.ids() == []
    with pytest.raises(RuleError, match="another one by now"):
        place.store.trust_shared("prj_1", place.root, sha256, "person")
    with pytest.raises(RuleError, match="another one by now"):
        place.store.trust_shared("prj_1", place.root, "", "person")


def test_trust_is_per_project_and_needs_a_readable_file(place):
    place.write("shared", ALLOW)
    sha256 = place.book().files[3].sha256
    place.store.trust_shared("prj_1", place.root, sha256, "person")
    assert place.store.book("prj_2", place.root).rules == ()
    with pytest.raises(RuleError):
        place.store.trust_shared("../x", place.root, sha256, "person")
    place.write("shared", "x = [")
    with pytest.raises(RuleError, match="line 1"):
        place.store.trust_shared("prj_1", place.root, sha256, "person")


def test_trust_that_cannot_be_kept_or_read_is_no_trust(place, tmp_path):
    place.write("shared", ALLOW)
    sha256 = place.book().files[3].sha256
    (tmp_path / "data").write_text("")
    with pytest.raises(RuleError, match="were not trusted"):
        place.store.trust_shared("prj_1", place.root, sha256, "person")
    (tmp_path / "data").unlink()
    place.store.trust_shared("prj_1", place.root, sha256, "person")
    for broken in ("{", "[]", '{"sha256": 1}'):
        (tmp_path / "data" / "rules" / "prj_1.trust.json").write_text(broken)
        assert place.ids() == []


def test_rules_of_a_lane_go_with_it(place):
    place.save(lane="ln_1")
    kept = place.save(lane="ln_2")
    place.store.forget_lane("prj_1", "ln_1")
    assert place.book().rules == (kept,)
    place.store.forget_lane("prj_1", "ln_1")
    assert place.book().rules == (kept,)


def test_without_project_and_repository_only_the_computers_and_the_persons_rules_count(place):
    place.write("user", DENY)
    book = place.store.book("", None)
    assert [file.scope for file in book.files] == ["managed", "user"]
    assert [rule.id for rule in book.rules] == ["r-2"]


def test_the_administrators_file_is_outside_every_home():
    assert default_managed_path().is_absolute()


TEXTS = st.text(st.characters(codec="utf-8"), max_size=300)


CONTENTS = st.one_of(TEXTS, TEXTS.map(lambda text: f"{DENY}reason = '''{text}'''")).map(str.encode)


@given(st.one_of(CONTENTS, st.binary(max_size=300)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_content_breaks_the_book(tmp_path, content):
    place = Place(tmp_path)
    place.write("user", content)
    book = place.book()
    assert book.unreadable or all(rule.decision != "allow" for rule in book.rules)


@given(st.lists(st.sampled_from(["npm", "run", "test", "a b", "'", '"x', "é", "x\\y", "make"]), min_size=1, max_size=4))
def test_what_is_written_is_what_is_read(words):
    rule = Rule(id="r-1", decision="deny", kind="command", tokens=tuple(words), reason='"\\', created_at=NOW)
    (state,) = parse_rules(f"[[rule]]\n{rule_table(rule).as_string()}".encode(), "user", judge).states
    assert state.rule == rule.model_copy(update={"scope": "user"})
