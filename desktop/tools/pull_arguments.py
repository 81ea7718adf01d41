"""The checks that the tools about pushing and pull requests make of their arguments before the gate decides."""

from pydantic import Field, field_validator

from desktop.tools.arguments import ArgumentsError
from desktop.tools.pull_calls import ChatPulls, PullName
from desktop.tools.tool import ToolArgs, ToolContext

MAX_NAME = 100
NOT_HERE = "This chat cannot push or open pull requests."


class RequestArgs(ToolArgs):
    """The arguments of every tool that works on the lane's pull request."""

    pr: str | int | None = Field(
        default=None, description="The pull request's number or id; this lane's own by default."
    )

    @field_validator("pr")
    @classmethod
    def _is_short(cls, value: PullName) -> PullName:
        if value is not None and len(str(value)) > MAX_NAME:
            raise ValueError("must be a number or an id")
        return value


def request_target(ctx: ToolContext, tool: str, pr: PullName) -> str:
    """The request that a call means, for the gate. Raises ArgumentsError for one that is not the lane's."""
    try:
        return ctx.offer(ChatPulls).request_target(pr)
    except ValueError as error:
        raise ArgumentsError(f"Invalid arguments for {tool}: pr: {error}.") from error


def refuse_secrets(ctx: ToolContext, tool: str, *texts: str) -> None:
    """Raises ArgumentsError when a text that would be published holds a secret."""
    found = ctx.offer(ChatPulls).secrets_in(*texts)
    if found:
        raise ArgumentsError(f"Invalid arguments for {tool}: the text holds the secret {found[0]}. Leave it out.")
