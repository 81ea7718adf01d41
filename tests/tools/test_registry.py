"""Discovery names every fault, and a new tool is one file."""

import ast
import asyncio
import inspect
import sys
from pathlib import Path

import pytest

from desktop.domain.core.errors import StartError
from desktop.domain.core.permissions import PermissionMode
from desktop.policy import refusals
from desktop.tools.offers import BackgroundShells, Person, Shell, WorkingLane
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.registry import Registry, description, discover, parse_args, schema_hash
from desktop.tools.tool import MakeLane, Rebase, Report, ToolContext

IN_LANE: tuple[type[object], ...] = (WorkingLane, MakeLane, Rebase, Report, ChatPulls)
GOOD = '''"""A tool."""
from pydantic import Field
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category
from desktop.tools.tool import Tool, ToolArgs, ToolResult

class Args(ToolArgs):
    word: str = Field(description="What to say.")

async def run(args, ctx):
    return ToolResult(text=f"said {args.word} in {ctx.lane_name}")

TOOL = Tool(
    name="say", aliases=("Say",), description="Says a word, for people who like words.", args=Args,
    category=Category.READ, card=lambda args: Card(title=f"Say {args.word}"), run=run,
)
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    name = "made_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for module in [m for m in sys.modules if m.split(".")[0] == name]:
        del sys.modules[module]


def fault(package: Path) -> str:
    with pytest.raises(StartError) as caught:
        discover(package.name)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


@pytest.mark.promise("tools-T1")
def test_a_tool_added_as_one_file_is_offered_described_and_callable(package: Path, tool_context: ToolContext) -> None:
    (package / "say.py").write_text(GOOD)
    registry = discover(package.name)
    (tool,) = registry.offered(PermissionMode.PLAN, ())
    assert description(tool)["name"] == "say"
    assert description(tool)["input_schema"] == tool.schema
    assert tool.schema["properties"]["word"]["description"] == "What to say."
    assert registry.resolve("Say") is tool
    args = parse_args(tool, {"word": "hello"})
    assert tool.card(args).title == "Say hello"
    assert asyncio.run(tool.run(args, tool_context)).text == "said hello in lane"


@pytest.mark.promise("tools-T2")
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name="say"', 'name="tell"', 'the tool is named "tell", not as its file'),
        ("from pydantic import Field", "from pydantic import Field; 1 / 0", "cannot be imported: ZeroDivisionError"),
        ("TOOL = Tool(", "OTHER = Tool(", "it must end in TOOL"),
        ('Field(description="What to say.")', "Field()", 'the field "word" has no description'),
        ("category=", 'needs=("wings",), category=', "it needs 'wings', which is no protocol"),
        ("category=", 'guidance="Use fly_away first.", category=', 'the guidance names "fly_away"'),
        ("Says a word, for people who like words.", "Too short.", "the description must have 20 to 1,024"),
        ("category=", 'spellings={"w": "wrod"}, category=', 'a spelling leads to "wrod"'),
        ("category=", 'guidance="x" * 1201, category=', "the guidance must have at most 1,200"),
        ("class Args(ToolArgs):", "class Args(ToolArgs, extra='allow'):", "frozen and forbid unknown fields"),
    ],
)
def test_each_fault_stops_the_start_and_names_file_and_fault(package: Path, old: str, new: str, words: str) -> None:
    (package / "say.py").write_text(GOOD.replace(old, new))
    text = fault(package)
    assert text.startswith("say.py: ")
    assert words in text


@pytest.mark.parametrize("held", ["Word", "list[Word]", "Word | None", "dict[str, tuple[Word, ...]]"])
def test_a_field_without_description_is_found_in_the_values_inside_too(package: Path, held: str) -> None:
    inside = f"class Word(ToolArgs):\n    text: str\n    other: '{held} | None' = Field(description='One more.')\n\n"
    text = GOOD.replace("class Args", f"{inside}class Args").replace(": str = Field", f": {held} = Field")
    (package / "say.py").write_text(text)
    assert fault(package) == 'say.py: the field "Word.text" has no description.'


def test_every_field_that_a_model_is_told_of_is_described(registry: Registry) -> None:
    for tool in registry.tools:
        for place in (tool.schema, *tool.schema.get("$defs", {}).values()):
            assert all(field.get("description") for field in place.get("properties", {}).values()), tool.name


def test_two_tools_that_share_an_alias_stop_the_start(package: Path) -> None:
    (package / "say.py").write_text(GOOD)
    (package / "tell.py").write_text(GOOD.replace('name="say"', 'name="tell"'))
    assert fault(package) == 'tell.py: the name "Say" is already taken by say.py.'


def test_an_empty_package_stops_the_start(package: Path) -> None:
    assert "No tools were found" in fault(package)


@pytest.mark.promise("tools-T50")
def test_names_are_exact_and_untrimmed(registry: Registry) -> None:
    assert registry.resolve("Bash") is registry.resolve("bash")
    for wrong in ("BASH", "bash ", "mcp__x__read_file", ""):
        assert registry.resolve(wrong) is None


def test_plan_mode_offers_reads_only_and_what_is_missing_is_left_out(registry: Registry) -> None:
    everything = (*IN_LANE, Shell, BackgroundShells, Person)
    plan = {tool.name for tool in registry.offered(PermissionMode.PLAN, everything)}
    assert "exit_plan_mode" in plan
    assert not plan & {"write_file", "edit_file", "bash_kill", "commit_changes"}
    edit = [tool.name for tool in registry.offered(PermissionMode.EDIT, everything)]
    assert edit == sorted(edit)
    assert "exit_plan_mode" not in edit
    assert not {tool.name for tool in registry.offered(PermissionMode.EDIT, ())} & {"bash", "bash_output", "ask_user"}


def test_guidance_names_only_tools_offered_beside_it(registry: Registry) -> None:
    every = {tool.name for tool in registry.tools}
    for mode in PermissionMode:
        for present in ((), (*IN_LANE, Shell), (*IN_LANE, Shell, Person, BackgroundShells)):
            offered = registry.offered(mode, present)
            names = {tool.name for tool in offered}
            for tool in offered:
                named = {word for word in every if "_" in word and word in tool.guidance + tool.description}
                assert named <= names, (tool.name, named - names)


def test_equal_tools_have_equal_hashes(registry: Registry) -> None:
    assert [schema_hash(tool) for tool in registry.tools] == [schema_hash(tool) for tool in discover().tools]


def test_a_tool_is_offered_on_its_surfaces_only() -> None:
    every = {*IN_LANE, Shell, Person}
    chat = {tool.name for tool in discover().offered(PermissionMode.EDIT, every)}
    round_of_work = {tool.name for tool in discover().offered(PermissionMode.EDIT, every, "resolver")}
    assert "create_lane" in chat - round_of_work
    assert round_of_work < chat


def test_a_tool_needs_whatever_it_asks_its_chat_for(registry: Registry) -> None:
    """So that a start without it fails by name, and not a call."""
    for tool in registry.tools:
        file = Path(inspect.getfile(tool.run))
        asked = {
            node.args[0].id
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "offer"
            and isinstance(node.args[0], ast.Name)
        }
        assert asked <= {need.__name__ for need in tool.needs}, tool.name


def test_words_for_what_is_missing_name_needs_of_tools(registry: Registry) -> None:
    """A need under another name would be told as "Wings is missing"."""
    assert refusals.MISSING_TOLD.keys() <= {need.__name__ for tool in registry.tools for need in tool.needs}
