"""The judgement of command lines, and what rules ask of them: its parser and tables (0.2 s) come with the first one.
So does what is told of the arguments of a call."""

from collections.abc import Iterator, Mapping
from functools import cache

from pydantic import JsonValue

from desktop.late import late
from desktop.policy.shell.read.world import ShellWorld, TextWorld
from desktop.policy.shell.verdict import ShellVerdict


@cache
def load_judgement() -> None:
    """Import both now and judge a line, which makes what only the first one needs. For a worker thread, before the
    first command line comes."""
    assess_shell("true", TextWorld())
    command_warnings("true")


def judgement_is_loaded() -> bool:
    """Whether they are imported whole, so that nobody waits for them."""
    return load_judgement.cache_info().currsize > 0


def assess_shell(command: str, world: ShellWorld, *, cwd: str = ".", given: tuple[str, ...] = ()) -> ShellVerdict:
    """As `desktop.policy.shell.assess.assess_shell`, which the first call imports."""
    verdict: ShellVerdict = late("desktop.policy.shell.assess").assess_shell(command, world, cwd=cwd, given=given)
    return verdict


def command_warnings(command: str) -> tuple[str, ...]:
    """As `desktop.policy.display_warn.command_warnings`, which the first call imports."""
    lines: tuple[str, ...] = late("desktop.policy.display_warn").command_warnings(command)
    return lines


def may_write_unnamed(verdict: ShellVerdict, text: str) -> bool:
    """As `desktop.policy.reach.may_write_unnamed`."""
    answer: bool = late("desktop.policy.reach").may_write_unnamed(verdict, text)
    return answer


def uses_network(verdict: ShellVerdict, text: str) -> bool:
    """As `desktop.policy.reach.uses_network`."""
    answer: bool = late("desktop.policy.reach").uses_network(verdict, text)
    return answer


def names_in(text: str, lane_root: str) -> frozenset[str] | None:
    """As `desktop.policy.reach.names_in`."""
    names: frozenset[str] | None = late("desktop.policy.reach").names_in(text, lane_root)
    return names


def texts_in(arguments: Mapping[str, JsonValue]) -> Iterator[tuple[str, str, str]]:
    """As `desktop.policy.mcp.arguments.texts_in`."""
    texts: Iterator[tuple[str, str, str]] = late("desktop.policy.mcp.arguments").texts_in(arguments)
    return texts


def leaving_paths(arguments: Mapping[str, JsonValue], lane_root: str) -> tuple[str, ...]:
    """As `desktop.policy.mcp.arguments.leaving_paths`."""
    paths: tuple[str, ...] = late("desktop.policy.mcp.arguments").leaving_paths(arguments, lane_root)
    return paths
