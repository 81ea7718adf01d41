"""What SKILL.md and the file of an agent may say, and what is told of one that says something else."""

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.skills.values import AgentFile, Fault, SkillFile
from desktop.services.skills.agent_files import read_agent
from desktop.services.skills.skill_files import read_skill


def skill(text: str, folder: str = "notes") -> SkillFile | Fault:
    return read_skill(f"---\n{text}\n---\nbody\n".encode(), "notes/SKILL.md", folder)


def agent(text: str) -> AgentFile:
    found = agent_or_fault(f"name: scout\ndescription: looks\n{text}")
    assert isinstance(found, AgentFile), str(found)
    return found


def agent_or_fault(text: str) -> AgentFile | Fault:
    return read_agent(f"---\n{text}\n---\nYou look.\n".encode(), "scout.md")


@pytest.mark.promise("memory-SK1")
def test_a_skill_says_what_the_open_format_has() -> None:
    found = skill(
        "name: notes\ndescription: Writes notes\nlicense: MIT\ncompatibility: any\nmetadata: {author: a, v: '1'}\n"
        "allowed-tools: Read Bash(git *)\ndisable-model-invocation: true\nuser-invocable: false\n"
        "requires_secrets: [TOKEN]\nsecret_mounts: KEY\nfuture: x"
    )

    assert isinstance(found, SkillFile)
    assert (found.name, found.description, found.body) == ("notes", "Writes notes", "body")
    assert found.shown == {"compatibility": "any", "license": "MIT", "author": "a", "v": "1"}
    assert found.allowed_tools == ("Read", "Bash(git *)")
    assert (found.in_catalogue, found.by_person) == (False, False)
    assert found.secrets == ("TOKEN", "KEY")
    assert (found.ignored, found.warnings) == (("future",), ())


def test_a_skill_of_few_words_is_for_agents_and_people() -> None:
    found = skill("name: notes\ndescription: |\n  Two\n  lines")

    assert isinstance(found, SkillFile)
    assert (found.in_catalogue, found.by_person, found.allowed_tools, found.shown) == (True, True, (), {})
    assert found.description == "Two\nlines"


@pytest.mark.promise("memory-SK1")
def test_a_skill_goes_by_its_folder_and_says_so() -> None:
    found = skill("name: other\ndescription: d")

    assert isinstance(found, SkillFile)
    assert found.warnings == ("It is called notes as its folder is, not other.",)


@pytest.mark.promise("memory-SK1")
def test_a_name_of_64_letters_and_a_description_of_1024_are_read() -> None:
    name, description = "x-" * 31 + "x1", "d" * 1_024
    found = skill(f"name: {name}\ndescription: {description}\ncompatibility: {'c' * 500}", name)

    assert isinstance(found, SkillFile)
    assert (found.name, found.description, found.warnings) == (name, description, ())


@pytest.mark.promise("memory-SK1")
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("description: d", 1, "no 'name'"),
        ("name: notes", 1, "no 'description'"),
        ("name: notes\ndescription: '  '", 3, "no 'description'"),
        (f"name: notes\ndescription: {'x' * 1025}", 3, "1,024"),
        (f"name: {'x' * 65}\ndescription: d", 2, "small letters"),
        ("name: No\ndescription: d", 2, "small letters"),
        ("name: -a\ndescription: d", 2, "small letters"),
        ("name: a--b\ndescription: d", 2, "small letters"),
        ("name: [a]\ndescription: d", 2, "must be a text"),
        ("name: a\ndescription: d\nuser-invocable: perhaps", 4, "true or false"),
        ("name: a\ndescription: d\nallowed-tools: {a: b}", 4, "list of names"),
        (f"name: a\ndescription: d\nallowed-tools: {'a(' * 30_000}", 4, "4,000"),
        (f"name: a\ndescription: d\ncompatibility: {'x' * 501}", 4, "500"),
        ("name: a\nname: b\ndescription: d", 3, "twice"),
    ],
)
def test_a_skill_that_says_something_else_is_told_with_its_line(text: str, line: int, words: str) -> None:
    found = skill(text)

    assert isinstance(found, Fault)
    assert found.line == line
    assert words in found.text


def test_an_agent_of_few_words_has_what_its_parent_has() -> None:
    found = agent("")

    assert (found.name, found.description, found.text) == ("scout", "looks", "You look.")
    assert (found.tools, found.denied, found.bash_words, found.model) == (None, (), (), "inherit")
    assert (found.max_turns, found.skills, found.cap, found.lane, found.background) == (0, (), None, "same", False)
    assert (found.ignored, found.notices) == ((), ())


@pytest.mark.promise("memory-SU20")
def test_an_agent_says_what_it_may_have() -> None:
    found = agent(
        "tools: Read, Bash(git *), Bash(npm run test:*), grep\ndisallowedTools: [Write]\nmodel: opus\nmaxTurns: 12\n"
        "skills: notes, notes, more\npermissionMode: plan\nlane: own\nbackground: true\n"
        "hooks: {a: b}\nmcpServers: [x]\nmemory: user\ncolor: red"
    )

    assert found.tools == ("Read", "Bash", "grep")
    assert found.bash_words == ("git", "npm run test")
    assert found.denied == ("Write",)
    assert (found.model, found.max_turns, found.skills) == ("opus", 12, ("notes", "more"))
    assert (found.cap, found.lane, found.background) == (PermissionMode.PLAN, "own", True)
    assert found.ignored == ("hooks", "mcpServers", "memory", "color")


@pytest.mark.parametrize("tools", ["Bash, Bash(git *)", "Bash(*)", "bash(:*)", "Bash()"])
def test_bash_as_a_whole_needs_no_beginning(tools: str) -> None:
    found = agent(f"tools: {tools}")

    assert found.bash_words == ()
    assert found.tools is not None
    assert found.tools[0].lower() == "bash"


@pytest.mark.promise("memory-SU20")
def test_a_tool_that_cannot_be_given_in_part_is_not_given() -> None:
    found = agent("tools: Read(src/**), Grep\ndisallowedTools: Bash(rm *)")

    assert found.tools == ("Grep",)
    assert found.denied == ("Bash",)
    assert found.notices == (
        "Read(src/**): only bash can be given in part; it is left out.",
        "Bash(rm *): it is taken away as a whole.",
    )


def test_no_tools_is_not_all_tools() -> None:
    assert agent("tools: []").tools == ()
    assert agent("tools:").tools == ()


@pytest.mark.promise("memory-SU20")
@pytest.mark.parametrize(
    ("mode", "cap", "notices"),
    [
        ("default", PermissionMode.EDIT, 0),
        ("acceptEdits", PermissionMode.EDIT, 0),
        ("plan", PermissionMode.PLAN, 0),
        ("bypassPermissions", PermissionMode.EDIT, 1),
        ("full-auto", PermissionMode.EDIT, 1),
    ],
)
def test_no_mode_of_a_file_is_wider_than_edit(mode: str, cap: PermissionMode, notices: int) -> None:
    found = agent(f"permissionMode: {mode}")

    assert (found.cap, len(found.notices)) == (cap, notices)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("description: d", 1, "no 'name'"),
        ("name: scout", 1, "no 'description'"),
        ("name: Scout Two\ndescription: d", 2, "small letters"),
        ("name: scout\ndescription: d\nmaxTurns: 0", 4, "maxTurns"),
        ("name: scout\ndescription: d\nmaxTurns: ²", 4, "maxTurns"),
        ("name: scout\ndescription: d\nlane: elsewhere", 4, "lane"),
        ("name: scout\ndescription: d\nbackground: 7", 4, "true or false"),
        ("name: [", 3, "YAML"),
    ],
)
def test_an_agent_that_says_something_else_is_told_with_its_line(text: str, line: int, words: str) -> None:
    found = agent_or_fault(text)

    assert isinstance(found, Fault)
    assert found.line == line
    assert words in found.text


def test_a_large_file_is_told() -> None:
    found = read_agent(b"---\nname: scout\ndescription: d\n---\n" + b"x" * 100_000, "scout.md")

    assert str(found) == "scout.md: It is larger than 64 KiB."
