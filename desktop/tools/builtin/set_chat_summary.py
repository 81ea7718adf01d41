"""set_chat_summary: a short title for this chat, unless a person gave it one."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category
from desktop.domain.events import TitleChanged
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult

MAX_TITLE = 80


class SetChatSummary(ToolArgs):
    """The few words by which people find this chat."""

    summary: str = Field(min_length=1, max_length=MAX_TITLE, description="What this chat is about, in one short line.")

    @field_validator("summary")
    @classmethod
    def _one_line(cls, value: str) -> str:
        value = value.strip()
        if not value:
            raise ValueError("must not be blank")
        if len(value.splitlines()) > 1:
            raise ValueError("must be one line")
        return value


def _card(args: SetChatSummary) -> Card:
    return Card(title=f"Name this chat “{args.summary}”")


async def _run(args: SetChatSummary, ctx: ToolContext) -> ToolResult:
    if ctx.session.titled_by_person:
        return ToolResult(text="The person named this chat; kept.", summary="kept")
    if ctx.session.title == args.summary:
        return ToolResult(text="The chat has this title already.", summary="no change")
    return ToolResult(
        text=f"The chat is now named “{args.summary}”.",
        summary="named",
        follow=(TitleChanged(title=args.summary, by="auto"),),
    )


TOOL = Tool(
    name="set_chat_summary",
    aliases=("setChatSummary",),
    description="Give this chat a short title that says what it is about. A title set by the person is kept.",
    guidance="Call it once when the subject of the chat is clear, and again only when the subject changes.",
    args=SetChatSummary,
    category=Category.READ,
    parallel=False,
    ends_turn=True,
    card=_card,
    run=_run,
)
