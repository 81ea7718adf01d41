"""What the tools about pushing and pull requests check of their arguments before the gate decides."""

from desktop.tools.arguments import ArgumentsError
from desktop.tools.pull_calls import ChatPulls, PullName
from desktop.tools.tool import ToolContext, ToolError

PR_FIELD = "The pull request's number or id; this lane's own by default."
NOT_HERE = "This chat cannot push or open pull requests."


def pulls_of(ctx: ToolContext) -> ChatPulls:
    """Raises ToolError where a chat has none."""
    if ctx.pulls is None:
        raise ToolError(NOT_HERE, summary="not available")
    return ctx.pulls


def request_target(ctx: ToolContext, tool: str, pr: PullName) -> str:
    """The request that a call means, for the gate. Raises ArgumentsError for one that is not the lane's."""
    try:
        return ctx.pulls.request_target(pr) if ctx.pulls is not None else ""
    except ValueError as error:
        raise ArgumentsError(f"Invalid arguments for {tool}: pr: {error}.") from error


def refuse_secrets(ctx: ToolContext, tool: str, *texts: str) -> None:
    """Raises ArgumentsError when a text that would be published holds a secret."""
    found = ctx.pulls.secrets_in(*texts) if ctx.pulls is not None else ()
    if found:
        raise ArgumentsError(f"Invalid arguments for {tool}: the text holds the secret {found[0]}. Leave it out.")


def checked_name(value: PullName) -> PullName:
    """For the `pr` of arguments. Raises ValueError."""
    if value is not None and len(str(value)) > 100:
        raise ValueError("must be a number or an id")
    return value
