"""Which rules speak about a call (gate 5): strictest first, whole lines only, and doubt tightens."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.core.permissions import Category
from desktop.domain.gate.rules import Rule
from desktop.policy.paths import PathFacts
from desktop.policy.rules import CallSubject, glob_matches, host_matches, match_rules
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.verdict import ShellVerdict, ShellWord, SimpleCommand
from desktop.policy.shell.words.loose_words import argv_may_run, text_may_run
from desktop.policy.sql.verdict import SqlStatement, SqlVerdict

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
WORLD = TextWorld()


def rule(decision, words, rule_id="", **fields):
    return Rule(id=rule_id or words, decision=decision, kind="command", tokens=tuple(words.split()), **fields)


def bash(line, **fields):
    verdict = assess_shell(line, WORLD)
    return CallSubject(tool="bash", category=Category.BASH, command=verdict, text=line, **fields)


def matches(line, *rules, **fields):
    return match_rules(rules, bash(line, **fields), NOW)


def allowed(line, *words):
    return [match.text for match in matches(line, *(rule("allow", each) for each in words)).allow]


@pytest.mark.promise("gate-R11")
def test_a_line_is_allowed_when_each_command_is_proven_or_covered():
    assert allowed("npm test", "npm test") == ["npm test"]
    assert allowed("npm test 2>&1 | tail -n 20", "npm test") == ["npm test"]
    assert allowed("cd sub && npm test && make build", "npm test", "make build", "pytest") == ["npm test", "make build"]
    assert allowed("ls && python scripts/x.py", "python scripts/x.py") == ["python scripts/x.py"]
    assert allowed("cd sub && python scripts/x.py", "python scripts/x.py") == []
    assert allowed("cd sub && ./scripts/test.sh", "./scripts/test.sh") == []
    assert allowed("cd sub && uv run python x.py", "uv run python x.py") == []
    assert allowed("cd sub && uv run pytest", "uv run pytest") == ["uv run pytest"]
    assert allowed("cd sub && python -m pytest", "python -m pytest") == ["python -m pytest"]
    assert allowed("npm test && npm test -- -q", "npm test") == ["npm test"]
    assert allowed("git status; rm x", "git status") == []
    assert allowed("npm test; rm -r build", "npm test") == []


def test_a_proven_line_needs_no_rule():
    assert allowed("git status", "git status") == []
    assert matches("git status", rule("allow", "git status")).note == ""


def test_the_narrowest_rule_is_named_whatever_the_order():
    assert allowed("npm run test -- -q", "npm run", "npm run test") == ["npm run test"]
    assert allowed("npm run test -- -q", "npm run test", "npm run") == ["npm run test"]


@pytest.mark.parametrize(
    "line",
    ["npm test > out.txt", "npm test &", "X=1 npm test", "npm test $(id)", "env npm test", "npm test | sh",
     "(npm test)", "npm test *", "npm test ../x", "npm test .env"],
)  # fmt: skip
def test_lines_outside_the_subset_are_not_allowed(line):
    assert allowed(line, "npm test") == []


def test_a_near_miss_is_explained():
    found = matches("npm test --prefix x", rule("allow", "npm test"))
    assert found.note == "The rule npm test does not cover this: --prefix can make it run or change something else."
    assert matches("npm run x", rule("allow", "npm test")).note == ""
    assert "does not cover this" in matches("npm test > x", rule("allow", "npm test")).note


def test_a_rule_that_covers_its_own_command_explains_nothing():
    assert matches("npm test; make x", rule("allow", "npm test")).note == ""


def test_a_rule_that_may_not_be_saved_is_off_wherever_it_comes_from():
    assert allowed("bash x.sh", "bash x.sh", "bash") == []
    assert allowed("rm -r dist", "rm -r dist") == []


def test_the_administrator_cannot_allow():
    assert matches("npm test", rule("allow", "npm test", scope="managed")).allow == ()


@pytest.mark.promise("gate-R1")
def test_deny_and_ask_end_every_allow():
    rules = [rule("allow", "npm test"), rule("ask", "npm"), rule("deny", "npm test")]
    found = match_rules(rules, bash("npm test"), NOW)
    assert [match.text for match in found.deny] == ["npm test"]
    assert [match.text for match in found.ask] == ["npm"]
    assert found.allow == ()
    assert match_rules(rules[:2], bash("npm test"), NOW).allow == ()


def test_a_match_says_where_its_rule_comes_from():
    made = rule("ask", "npm install", "r-1", scope="user", reason="why", created_by="card", created_at=NOW)
    (match,) = matches("npm install", made).ask
    assert (match.rule_id, match.scope, match.reason, match.created_by) == ("r-1", "user", "why", "card")
    assert match.created_at == NOW


@pytest.mark.promise("gate-R9")
def test_an_expired_rule_is_as_if_it_were_not_there():
    ended = rule("allow", "npm test", expires_at=NOW)
    running = rule("allow", "npm test", expires_at=NOW + timedelta(seconds=1))
    assert matches("npm test", ended).allow == ()
    assert len(matches("npm test", running).allow) == 1
    assert matches("npm test", rule("deny", "npm", expires_at=NOW)).deny == ()


def test_a_rule_of_a_lane_holds_in_that_lane_only():
    bound = rule("allow", "npm test", lane="ln_1")
    assert len(matches("npm test", bound, lane_id="ln_1").allow) == 1
    assert matches("npm test", bound, lane_id="ln_2").allow == ()


RUNS_PUSH = (
    "git push",
    "git push origin main",
    "/usr/bin/git push",
    "ls && git push",
    "git -C sub push",
    "git --no-pager push",
    "git -c a=b push",
    "env git push",
    "env A=b git push",
    "sudo -u x git push",
    "bash -c 'cd x && git push'",
    "xargs git push",
    "find . -exec git push +",
    "uv run git push",
    "npx --yes git push",
    "docker exec app git push",
    "timeout 5 git push",
    "echo $(git push)",
    "echo `git push`",
    "if true; then git push; fi",
    "while true; do git push; done",
    "(git push)",
    "{ git push; }",
    "git push &",
    "X=1 git push",
    "! git push",
    'g""it pu\\sh',
    "git \\\npush",
    "git${IFS}push",
    "$'\\x67it' push",
    "$'\\147it' push",
    "$'\\u0067it' push",
    "$G push",
    "x=git; $x push",
    "git $P",
    "cat <<EOF | sh\ngit push\nEOF",
    "git\tpush > log",
    'eval "git push"',
    "git -C a -C b push",
    "git -c a=b -c c=d push origin",
    "git --git-dir .git --work-tree . push",
)


@pytest.mark.parametrize("line", RUNS_PUSH)
def test_ask_and_deny_rules_find_their_command_in_every_disguise(line):
    assert len(matches(line, rule("deny", "git push")).deny) == 1
    assert len(matches(line, rule("ask", "git push")).ask) == 1


@pytest.mark.parametrize(
    "line",
    [
        "git status",
        "git commit -m push",
        "echo git push",
        "gitk push",
        "git log push",
        "git -P log --grep push",
        "npm push",
        "echo $A",
    ],
)
def test_ask_and_deny_rules_leave_other_readable_commands_alone(line):
    assert matches(line, rule("deny", "git push")).deny == ()


@pytest.mark.parametrize("line", ["find . -delete", "find a -name b -delete", "find $A"])
def test_an_option_that_a_rule_names_may_stand_behind_any_words(line):
    assert len(matches(line, rule("deny", "find -delete")).deny) == 1
    assert matches("find . -name x", rule("deny", "find -delete")).deny == ()


def test_odd_escapes_and_empty_words_do_not_stop_the_search():
    assert not text_may_run(("git", "push"), "$'\\U110000 \\n \\q' x")
    assert text_may_run(("npm",), "$'\\nnpm' x; ")
    assert not argv_may_run(("npm",), ())
    assert not argv_may_run(("npm", "x"), ("npm", "-q"))


def test_an_empty_ask_rule_matches_nothing():
    assert matches("ls", Rule(id="r", decision="ask", kind="command")).ask == ()


def test_a_command_rule_says_nothing_of_other_tools():
    other = CallSubject(tool="read_file", category=Category.READ)
    assert match_rules([rule("deny", "ls")], other, NOW).deny == ()


def facts(path, op="write", verdict="inside"):
    return PathFacts(raw=path, rel=path, op=op, verdict=verdict)


def write(*paths, **fields):
    return CallSubject(tool="write_file", category=Category.WRITE, paths=paths, **fields)


def path_rule(decision, glob, **fields):
    return Rule(id=glob, decision=decision, kind="path", glob=glob, **fields)


def test_path_rules_tighten_without_regard_to_case():
    assert len(match_rules([path_rule("deny", "Docs/*")], write(facts("docs/A.md")), NOW).deny) == 1
    assert match_rules([path_rule("deny", "docs/*", ops=("read",))], write(facts("docs/a")), NOW).deny == ()
    assert len(match_rules([path_rule("ask", "docs/*", ops=("read",))], write(facts("docs/a", "list")), NOW).ask) == 1


def test_path_rules_allow_only_when_every_path_is_named_exactly():
    docs = path_rule("allow", "docs/**")
    assert len(match_rules([docs], write(facts("docs/a/b"), facts("docs/c")), NOW).allow) == 1
    assert match_rules([docs], write(facts("docs/a"), facts("src/c")), NOW).allow == ()
    assert match_rules([docs], write(facts("Docs/a")), NOW).allow == ()
    assert match_rules([docs], write(facts("docs/a", verdict="protected")), NOW).allow == ()
    assert match_rules([docs], write(), NOW).allow == ()
    assert match_rules([docs], write(facts("docs/a")).model_copy(update={"category": Category.BASH}), NOW).allow == ()


@pytest.mark.parametrize(
    ("glob", "path", "hit"),
    [
        ("*.md", "a.md", True), ("*.md", "d/a.md", False), ("**/*.md", "a.md", True), ("**/*.md", "d/e/a.md", True),
        ("src/**", "src/a/b", True), ("src/**", "src", False), ("a?c", "abc", True), ("a?c", "a/c", False),
        ("[ab]", "a", False), ("[ab]", "[ab]", True), ("", "", False), ("a.b", "aXb", False),
    ],
)  # fmt: skip
def test_globs_stop_at_folders(glob, path, hit):
    assert glob_matches(glob, path, exactly=True) is hit
    assert glob_matches(glob, path.upper(), exactly=False) is hit


def test_tool_rules_name_a_tool_and_allow_only_what_leaves_the_machine():
    create = CallSubject(tool="create_pr", category=Category.EXTERNAL)
    named = {kind: Rule(id=kind, decision=kind, kind="tool", name="create_pr") for kind in ("allow", "ask", "deny")}
    assert len(match_rules([named["allow"]], create, NOW).allow) == 1
    assert match_rules([named["allow"]], create.model_copy(update={"irreversible": True}), NOW).allow == ()
    assert match_rules([named["allow"]], create.model_copy(update={"category": Category.WRITE}), NOW).allow == ()
    assert len(match_rules([named["ask"], named["deny"]], create, NOW).deny) == 1
    assert match_rules([named["deny"]], write(), NOW).deny == ()


def sql(*kinds):
    statements = tuple(SqlStatement(kind=kind) for kind in kinds)
    return SqlVerdict(proven_read=False, code="write", reason="It writes.", statements=statements)


def query(verdict, connection="shop"):
    return CallSubject(tool="sql_query", category=Category.EXTERNAL, sql=verdict, connection=connection)


def sql_rule(connection, *statements):
    return Rule(id="s", decision="ask", kind="sql", connection=connection, statements=statements or ("*",))


def test_sql_rules_ask_about_a_connection_and_kinds():
    assert len(match_rules([sql_rule("shop")], query(sql("SELECT")), NOW).ask) == 1
    assert match_rules([sql_rule("other")], query(sql("SELECT")), NOW).ask == ()
    assert len(match_rules([sql_rule("*", "alter")], query(sql("SELECT", "ALTER TABLE")), NOW).ask) == 1
    assert match_rules([sql_rule("*", "alter")], query(sql("SELECT")), NOW).ask == ()
    assert len(match_rules([sql_rule("*", "alter")], query(sql()), NOW).ask) == 1
    assert match_rules([sql_rule("*")], write(), NOW).ask == ()


def test_sql_inside_a_command_counts_for_every_connection():
    hidden = bash("ls").model_copy(update={"command": ShellVerdict(sql=(sql("DELETE"),))})
    assert len(match_rules([sql_rule("*", "DELETE")], hidden, NOW).ask) == 1


def test_sql_is_never_allowed_by_a_rule_for_its_tool():
    allow = Rule(id="t", decision="allow", kind="tool", name="sql_query")
    assert match_rules([allow], query(sql("SELECT")), NOW).allow == ()


def test_network_rules_see_the_hosts_that_a_command_names():
    deny = Rule(id="n", decision="deny", kind="network", host=".example.org")
    call = bash("ls").model_copy(update={"command": ShellVerdict(hosts=("a.Example.org",))})
    assert len(match_rules([deny], call, NOW).deny) == 1
    assert match_rules([deny], write(), NOW).deny == ()
    assert host_matches("example.org", "example.org.")
    assert not host_matches("example.org", "example.org.evil.net")
    assert not host_matches(".example.org", "badexample.org")
    assert not host_matches("", "")


def test_a_rule_for_a_server_speaks_of_no_built_in_call():
    server = Rule(id="m", decision="deny", kind="mcp", server="s", tool="*")
    assert match_rules([server], write(), NOW).deny == ()


LINES = ["npm test", "npm test && make x", "git push; npm test", "npm test | tail", "ls", "npm test > x", "$(npm test)"]
WORDS = ["npm", "npm test", "make x", "git push", "git push origin", "tail", "bash"]
RULES = st.builds(
    lambda decision, words, scope, days, number: rule(
        decision, words, f"r-{number}", scope=scope, expires_at=None if days is None else NOW + timedelta(days=days)
    ),
    st.sampled_from(["allow", "ask", "deny"]), st.sampled_from(WORDS), st.sampled_from(["user", "project", "session"]),
    st.sampled_from([None, 1, -1]), st.integers(0, 99),
)  # fmt: skip


def strictness(found):
    return 3 if found.deny else 2 if found.ask else 0 if found.allow else 1


@given(st.lists(RULES, max_size=6), RULES, st.sampled_from(LINES))
def test_a_rule_that_asks_or_denies_never_loosens(rules, extra, line):
    before, after = (match_rules(each, bash(line), NOW) for each in (rules, [*rules, extra]))
    if extra.decision != "allow":
        assert strictness(after) >= strictness(before)
    else:
        assert (after.deny, after.ask) == (before.deny, before.ask)


@pytest.mark.promise("gate-R1")
@given(st.lists(RULES, max_size=6), st.sampled_from(LINES), st.randoms())
def test_the_order_of_rules_has_no_meaning(rules, line, random):
    shuffled = list(rules)
    random.shuffle(shuffled)
    assert match_rules(rules, bash(line), NOW) == match_rules(shuffled, bash(line), NOW)


@given(st.lists(RULES, max_size=6), st.sampled_from(LINES))
def test_expired_rules_are_absent(rules, line):
    running = [each for each in rules if each.expires_at is None or each.expires_at > NOW]
    assert match_rules(rules, bash(line), NOW) == match_rules(running, bash(line), NOW)


@given(st.lists(st.sampled_from(["npm", "test", "-c", "a", "--"]), min_size=1, max_size=5), st.booleans())
def test_a_line_outside_the_subset_is_never_allowed(words, special):
    one = SimpleCommand(words=tuple(ShellWord(text=word, special=special) for word in words))
    call = CallSubject(tool="bash", category=Category.BASH, command=ShellVerdict(coverable=False, simple=(one,)))
    assert match_rules([rule("allow", "npm test"), rule("allow", "test")], call, NOW).allow == ()
