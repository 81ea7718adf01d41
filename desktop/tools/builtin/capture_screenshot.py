"""capture_screenshot: a picture of a page of the lane, or of the screen once a person has seen it."""

import sys
from typing import Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category
from desktop.policy import refusals
from desktop.tools.argument_checks import one_line
from desktop.tools.arguments import ArgumentsError, spellings_for
from desktop.tools.offers import WorkingLane
from desktop.tools.proof_calls import CaptureBlocked, CaptureDeclined, ChatProofs, WantedPage, WantedScreen
from desktop.tools.proof_results import picture_result
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult


class CaptureScreenshot(ToolArgs):
    """The arguments of `capture_screenshot`: what the picture is taken of (a page, a window, the screen) and how large
    it is."""

    target: Literal["page", "window", "desktop"] = Field(
        default="page",
        description=(
            "page: a page of this lane. window: a window of a program that was started in a terminal of this lane. "
            "desktop: the whole screen; a person sees it first and may not send it. When the lane has no window, or "
            "others lie over it, window is the whole screen too, for a person to crop."
        ),
    )
    window: str = Field(
        default="",
        max_length=200,
        description="For window: a part of its title; left out, the lane's topmost window.",
    )
    url: str = Field(
        default="",
        max_length=2_000,
        description="For page: http://127.0.0.1:<port of this lane>/… or an HTML or SVG file of the lane.",
    )
    title: str = Field(default="", max_length=120, description="What the picture shows, for the person.")
    description: str = Field(default="", max_length=500, description="What to look at.")
    width: int = Field(default=1280, ge=320, le=3840, description="Width of the page in pixels.")
    height: int = Field(default=800, ge=240, le=2160, description="Height of the page in pixels.")
    scale: int = Field(default=1, ge=1, le=3, description="Device pixels for one pixel of the page.")
    wait_ms: int = Field(default=1_000, ge=0, le=15_000, description="How long to wait after the page is loaded.")
    full_page: bool = Field(default=False, description="The whole page, not only what fits the window.")
    theme: Literal["light", "dark"] = Field(default="light", description="The colour scheme that the page is told of.")

    _is_one_line = field_validator("title", "url", "window")(one_line)

    @model_validator(mode="after")
    def _names_what_is_meant(self) -> "CaptureScreenshot":
        if self.target == "page" and not self.url:
            raise ValueError("url is needed for a page")
        if self.window and self.target != "window":
            raise ValueError("window is for target window only")
        return self

    @property
    def file(self) -> str:
        """The lane's file that is to be shown, "" for an address or the screen."""
        is_file = self.target == "page" and "://" not in self.url
        return self.url if is_file else self.url.removeprefix("file://") if self.url.startswith("file:///") else ""


def _window_words(name: str) -> str:
    return f"the lane's window {name}" if name else "a window of the lane"


def _card(args: CaptureScreenshot) -> Card:
    what = {"page": args.url, "window": _window_words(args.window), "desktop": "the whole screen"}[args.target]
    words = [one for one in (args.title, args.description) if one]
    return Card(title=title_line(f"Capture {what}"), blocks=(TextBlock(text="\n".join(words)),) if words else ())


def _paths(args: CaptureScreenshot) -> tuple[PathUse, ...]:
    return (PathUse(args.file, "read"),) if args.file else ()


def _assess(args: CaptureScreenshot, ctx: ToolContext) -> Evidence:
    """A page that is not this lane's cannot be captured, so nobody is asked. Pictures of the screen ask by themselves,
    once they were taken, in every mode."""
    problem = ctx.offer(ChatProofs).page_problem(args.url) if args.target == "page" else ""
    if problem:
        raise ArgumentsError(f"Invalid arguments for capture_screenshot: {problem}.")
    return Evidence()


async def _run(args: CaptureScreenshot, ctx: ToolContext) -> ToolResult:
    proofs = ctx.offer(ChatProofs)
    try:
        if args.target == "page":
            wanted = WantedPage.model_validate(args.model_dump(exclude={"target", "window"}))
            return picture_result(await proofs.page(ctx.call_id, wanted, ctx.files))
        screen = WantedScreen(target=args.target, window=args.window, title=args.title, description=args.description)
        taken = await proofs.window(ctx.call_id, screen) if args.target == "window" else None
        if taken is None and not ctx.can_ask:
            raise ToolError(refusals.NO_PERSON, summary="nobody to ask")
        return picture_result(taken or await proofs.screen(ctx.call_id, screen, ctx.ask))
    except CaptureBlocked as blocked:
        raise _blocked(args, blocked) from blocked
    except CaptureDeclined as no:
        text = f"The person did not send the picture.{f' Reason: {no.note.strip()}' if no.note.strip() else ''}"
        return ToolResult(text=text, is_error=True, summary="not sent", stops_turn=no.stop_turn)
    except ToolError:
        raise
    except BanksmanError as error:
        raise ToolError(str(error), summary="not captured") from error


def _blocked(args: CaptureScreenshot, blocked: CaptureBlocked) -> ToolError:
    ways: list[JsonValue] = [*blocked.ways]
    data: dict[str, JsonValue] = {
        "blocked": blocked.kind,
        "platform": sys.platform,
        "target": args.target,
        "ways": ways,
    }
    text = f"Screenshot not possible: {blocked}. You can: {'; '.join(blocked.ways)}."
    return ToolError(text, summary="not possible here", data=data)


TOOL = Tool(
    name="capture_screenshot",
    aliases=("captureScreenshot", "screenshot"),
    description=(
        "Take a picture of a page of this lane in a browser without a window and keep it as a proof. The page must be "
        "on one of this lane's ports or be an HTML or SVG file of the lane. A window of a program that the person "
        "started in this lane's terminal can be taken too; every other picture of the screen is shown to the person "
        "first, who may crop it or not send it."
    ),
    guidance="When you changed what a person sees, show it with capture_screenshot before you say that it is done.",
    args=CaptureScreenshot,
    spellings=spellings_for(CaptureScreenshot),
    category=Category.READ,
    tier="workflow",
    needs=(WorkingLane, ChatProofs),
    parallel=False,
    assess=_assess,
    paths=_paths,
    card=_card,
    run=_run,
    for_guests=True,
    varies="Only pages and windows of this lane; other addresses are refused, other windows shown to a person first.",
)
