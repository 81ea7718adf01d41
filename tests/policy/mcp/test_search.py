"""The search over tools of servers."""

from desktop.policy.mcp.search import Searched, ToolIndex, words

TOOLS = [
    Searched(name="mcp__git__git_commit", description="Records changes to the repository", parameters=("message",)),
    Searched(name="mcp__git__git_log", description="Shows the commit logs", parameters=("max_count",)),
    Searched(name="mcp__db__write_query", description="Execute an INSERT, UPDATE or DELETE", parameters=("query",)),
    Searched(name="mcp__hub__createPullRequest", description="Opens a request", parameters=("headBranch",)),
    Searched(name="mcp__files__read_file", description="Reads a file", parameters=("path", "tail")),
]
INDEX = ToolIndex(TOOLS)


def found(query: str) -> list[str]:
    return [TOOLS[place].name.rpartition("__")[2] for place in INDEX.find(query)]


def test_a_name_counts_more_than_a_description() -> None:
    assert found("commit")[:2] == ["git_commit", "git_log"]


def test_names_in_any_style_and_parameters_are_found() -> None:
    assert found("pull request")[0] == "createPullRequest"
    assert found("branch") == ["createPullRequest"]
    assert found("queries") == []
    assert found("logs")[0] == "git_log"


def test_what_fits_nothing_finds_nothing() -> None:
    assert found("") == []
    assert found("weather") == []
    assert list(ToolIndex(()).find("anything")) == []


def test_no_more_than_asked_for_come_and_equals_keep_their_order() -> None:
    many = ToolIndex(Searched(name=f"tool_{n}", description="find things") for n in range(30))
    assert list(many.find("find")) == list(range(8))
    assert list(many.find("find", 3)) == [0, 1, 2]


def test_words_of_a_name() -> None:
    assert words("createPullRequest_HTTPServer2 glass") == ["create", "pull", "request", "http", "server", "2", "glass"]
    assert words("検索 logs") == ["検索", "log"]
