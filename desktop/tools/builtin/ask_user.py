"""ask_user: up to five questions to the person."""

import re
import time
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from desktop.domain.core.content import Card, TableBlock, TextBlock
from desktop.domain.core.permissions import Category
from desktop.domain.gate.pending import SECRET_GIVEN, Answer, Option, Question, QuestionRequest
from desktop.tools.offers import Person
from desktop.tools.text import one_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult

PER_MINUTE = 6
DECLINED = "The person declined to answer. Decide yourself or ask in the chat."
_NUMBERED = re.compile(r"^\s*(?:\d{1,2}[.)]|\(\d{1,2}\))\s+(\S.*)$", re.MULTILINE)
_RECOMMENDED = re.compile(r"\s*\(recommended\)\s*$", re.IGNORECASE)
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)


class AskOption(BaseModel):
    """One choice."""

    model_config = _STRICT

    label: str = Field(min_length=1, max_length=120, description="What the person reads.")
    value: str | None = Field(default=None, max_length=200, description="What you get back; the label by default.")
    description: str = Field(default="", max_length=300, description="What this choice means.")
    recommended: bool = Field(default=False, description="You would choose this one.")
    preview: str = Field(default="", max_length=8_000, description="Shown while the choice has the focus.")
    preview_format: Literal["markdown", "text", "html"] = Field(default="markdown", description="How preview is read.")


class AskQuestion(BaseModel):
    """One question."""

    model_config = _STRICT

    id: str | None = Field(default=None, min_length=1, max_length=40, description="Its name in the answer.")
    question: str = Field(min_length=1, max_length=1_000, description="The question itself.")
    header: str = Field(default="", max_length=40, description="Its subject in a word or two.")
    options: list[AskOption] = Field(default=[], max_length=10, description="None, or two to ten choices.")
    multi_select: bool = Field(default=False, description="More than one choice may be taken.")
    required: bool = Field(default=True, description="It must be answered.")
    allows_freeform: bool = Field(default=True, description="The person may write an answer of their own.")
    is_secret: bool = Field(default=False, description="The answer is not kept; you only learn that it was given.")
    default_assumption: str = Field(default="", max_length=300, description="What you assume without an answer.")
    impact: str = Field(default="", max_length=300, description="What depends on it.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.question.strip():
            raise ValueError("the question must not be blank")
        if len(self.options) == 1:
            raise ValueError("one option is no choice; give none or two to ten")
        values = [option.value or option.label for option in self.options]
        if len(set(values)) != len(values):
            raise ValueError("two options have the same value")
        if any(not option.label.strip() for option in self.options):
            raise ValueError("an option has a blank label")
        return self


class AskUser(ToolArgs):
    """The arguments of `ask_user`: at least one of question, body and questions."""

    question: str | None = Field(default=None, max_length=2_000, description="One question in plain words.")
    title: str | None = Field(default=None, max_length=120, description="What the questions are about.")
    body: str | None = Field(default=None, max_length=4_000, description="What the person should know; Markdown.")
    questions: list[AskQuestion] = Field(default=[], max_length=5, description="One to five questions.")

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.questions and not (self.question or "").strip() and not (self.body or "").strip():
            raise ValueError("give at least one of question, body and questions")
        ids = [question.id or f"q{number}" for number, question in enumerate(self.questions, 1)]
        if len(set(ids)) != len(ids):
            raise ValueError("two questions have the same id")
        return self


def _questions(args: AskUser) -> tuple[Question, ...]:
    if args.questions:
        return tuple(_question(number, question) for number, question in enumerate(args.questions, 1))
    text = (args.question or args.title or one_line(args.body or "", 1_000)).strip()
    choices = [match.group(1).strip()[:120] for match in _NUMBERED.finditer(args.body or "")]
    unique = list(dict.fromkeys(choices))[:10]
    options = [AskOption(label=choice) for choice in unique] if len(unique) >= 2 else []
    return (Question(id="q1", text=text, options=tuple(_option(option) for option in options)),)


def _question(number: int, given: AskQuestion) -> Question:
    return Question(
        id=given.id or f"q{number}",
        text=given.question.strip(),
        header=given.header,
        options=tuple(_option(option) for option in given.options),
        multi_select=given.multi_select,
        required=given.required,
        freeform=given.allows_freeform or not given.options,
        secret=given.is_secret,
        default_assumption=given.default_assumption,
        impact=given.impact,
    )


def _option(given: AskOption) -> Option:
    label = _RECOMMENDED.sub("", given.label).strip() or given.label.strip()
    return Option(
        label=label,
        value=given.value or label,
        description=given.description,
        recommended=given.recommended or label != given.label.strip(),
        preview=given.preview,
        preview_format=given.preview_format,
    )


def _card(args: AskUser) -> Card:
    questions = _questions(args)
    first = one_line(questions[0].text, 100)
    more = f" (and {len(questions) - 1} more)" if len(questions) > 1 else ""
    lines = [question.text for question in questions]
    return Card(title=f"Ask: {first}{more}", blocks=(TextBlock(text="\n\n".join(lines), prose=True),))


async def _run(args: AskUser, ctx: ToolContext) -> ToolResult:
    if not ctx.can_ask:
        raise ToolError("Nobody can answer here. State your assumption and go on.", summary="nobody to ask")
    _count(ctx)
    questions = _questions(args)
    request = QuestionRequest(
        call_id=ctx.call_id, title=args.title or "", body=(args.body or "").strip(), questions=questions
    )
    answer = await ctx.ask(request)
    if answer.outcome != "answered":
        note = f" They said: {answer.note.strip()}" if answer.note.strip() else ""
        return ToolResult(text=DECLINED + note, summary="declined")
    return _answered(questions, answer)


def _count(ctx: ToolContext) -> None:
    now = time.monotonic()
    asked = ctx.reads.asked_at
    asked[:] = [at for at in asked if now - at < 60]
    if len(asked) >= PER_MINUTE:
        wait_s = int(60 - (now - asked[0])) + 1
        raise ToolError(
            f"Six questions were asked within a minute. Ask again in {wait_s} s, or go on with an assumption.",
            summary="too many questions",
        )
    asked.append(now)


def _answered(questions: tuple[Question, ...], answer: Answer) -> ToolResult:
    shown: list[tuple[str, str]] = []
    answers: dict[str, list[str]] = {}
    for question in questions:
        values = list(answer.choices.get(question.id, ()))
        if question.secret and values:
            values = [SECRET_GIVEN]
        answers[question.id] = values
        shown.append((question.text, ", ".join(values) or "(no answer)"))
    lines = [f"**{text}**\n{value}" for text, value in shown]
    if answer.note.strip():
        lines.append(f"The person adds: {answer.note.strip()}")
    return ToolResult(
        text="\n".join(lines),
        blocks=(TableBlock(columns=("Question", "Answer"), rows=tuple(shown), prose=True),),
        summary=one_line(shown[0][1], 80) if len(shown) == 1 else f"{len(shown)} questions answered",
        data={"answers": {key: list(values) for key, values in answers.items()}},
    )


TOOL = Tool(
    name="ask_user",
    aliases=("askUser", "AskUserQuestion", "planning_questionnaire"),
    description=(
        "Ask the person up to five questions and wait for the answer. Give options where there are clear ones; the "
        "person may also write an answer, or decline."
    ),
    args=AskUser,
    category=Category.READ,
    needs=(Person,),
    asks_person=True,
    card=_card,
    run=_run,
    for_guests=True,
)
