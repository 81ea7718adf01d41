"""web_fetch: one page of the web as text, from a host that a person allowed."""

from pydantic import Field, JsonValue, SecretStr

from desktop.domain.core.content import Card, CodeBlock, LinkBlock, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.domain.gate.effects import EffectPreview
from desktop.policy.call_facts import SecretFact
from desktop.policy.web import WebFacts
from desktop.tools.arguments import ArgumentsError
from desktop.tools.calls.credentials import HeaderUse, chat_credentials
from desktop.tools.calls.web import ChatWeb, WebPage, requests_data
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolError, ToolResult
from desktop.tools.untrusted import untrusted

USUAL_CHARS = 10_000
MOST_CHARS = 80_000
TITLE_CHARS = 90


class WebFetch(ToolArgs):
    """An address, and which part of its text is wanted."""

    url: str = Field(min_length=1, max_length=4_096, description="Whole address, https where there is one.")
    max_chars: int = Field(default=USUAL_CHARS, ge=1, le=MOST_CHARS, description="How many characters of it to show.")
    offset: int = Field(default=0, ge=0, le=100_000_000, description="First character to show, counted from 0.")
    auth: HeaderUse | None = Field(default=None, description="A secret that this one request is sent with.")


def _card(args: WebFetch) -> Card:
    _, _, query = args.url.partition("?")
    told = ["Sends this address, which the agent wrote, to its host."]
    if query:
        told.append("Its query has 1 character." if len(query) == 1 else f"Its query has {len(query):,} characters.")
    request = f"GET {args.url}"
    if args.auth is not None:
        request += f"\n{args.auth.header}: {args.auth.prefix}[{args.auth.secret}]"
    return Card(
        title=title_line(f"Fetch {args.url}", TITLE_CHARS),
        blocks=(CodeBlock(language="text", text=request), TextBlock(text=" ".join(told))),
    )


def _assess(args: WebFetch, ctx: ToolContext) -> Evidence:
    web = ctx.offer(ChatWeb).facts(args.url, frozenset(ctx.reads.sha256.values()))
    secrets = _secrets(args, ctx, web)
    key = web.remember_key if web.usual and not secrets else None
    covers = f"Every address of {web.host}, until this chat is closed."
    return Evidence(
        assessment=Assessment(category=Category.READ, remember_key=key, covers=covers),
        network=True,
        web=web,
        secrets=secrets,
    )


def _secrets(args: WebFetch, ctx: ToolContext, web: WebFacts) -> tuple[SecretFact, ...]:
    """The secret that the request is sent with; a call that may not have it is not asked about."""
    if args.auth is None or web.fault:
        return ()
    if not web.url.startswith("https://"):
        raise ArgumentsError("A secret is sent over https alone.")
    try:
        return (chat_credentials(ctx).header_fact(args.auth, web.host, web.port),)
    except ToolError:
        raise
    except BanksmanError as error:
        raise ArgumentsError(str(error)) from error


async def _header(args: WebFetch, ctx: ToolContext) -> tuple[str, SecretStr] | None:
    """The header that a person allowed, with the secret."""
    secrets = ctx.call.secrets if ctx.call is not None else ()
    if args.auth is None:
        return None
    if not secrets:
        raise ToolError("Not fetched: nobody allowed the secret.", summary="no secret")
    try:
        value = await chat_credentials(ctx).header(ctx.call_id, secrets[0])
    except BanksmanError as error:
        raise ToolError(f"Not fetched: {error}", summary="no secret") from error
    return args.auth.header, SecretStr(args.auth.prefix + value.get_secret_value())


async def _preview(args: WebFetch, ctx: ToolContext, on_click: bool) -> EffectPreview | None:
    """Where a name leads is looked up at once if it can carry nothing; its site is asked once a person clicked."""
    web = ctx.offer(ChatWeb)
    if on_click:
        return EffectPreview(warnings=await web.look(args.url))
    found = await web.place(args.url)
    return EffectPreview(on_click=True, warnings=(found,)) if found else None


async def _run(args: WebFetch, ctx: ToolContext) -> ToolResult:
    page = await ctx.offer(ChatWeb).fetch(args.url, approved=ctx.approved, header=await _header(args, ctx))
    return page_result(page, args.offset, args.max_chars)


def page_result(page: WebPage, offset: int, most: int) -> ToolResult:
    """What the model and people see of a page: all of it stands inside the marker for what strangers wrote."""
    head = f"{page.url} · {page.status} · {page.media_type or 'no type'}"
    source = f"web:{page.host}"
    link = LinkBlock(url=page.url, label=page.title or page.url)
    data: dict[str, JsonValue] = {"url": page.url, "status": page.status, "removed": page.removed}
    data["requests"] = requests_data(page.requests)
    if page.moved_to:
        told = f"{head}\n\nThe page is elsewhere, which was not asked: {page.moved_to}"
        blocks = (link, LinkBlock(url=page.moved_to, label=page.moved_to))
        return ToolResult(
            text=untrusted(source, told), blocks=blocks, summary="leads elsewhere", data=data, untrusted=(source,)
        )
    shown = page.text[offset : offset + most]
    rest = len(page.text) - offset - len(shown)
    if not shown:
        shown = f"[The text has {len(page.text):,} characters.]" if page.text else "[The page has no text.]"
    more = f"\n[{rest:,} more characters; offset={offset + most}]" if rest > 0 else ""
    summary = count_words(len(page.text), "character")
    if page.removed:
        summary += f"; removed: {page.removed}"
    if page.plain:
        summary += "; not read as a page, only its tags were taken out"
    return ToolResult(
        text=untrusted(source, f"{head}\n\n{shown}{more}"),
        blocks=(link, TextBlock(text=shown)),
        summary=summary[:120],
        data=data,
        untrusted=(source,),
    )


TOOL = Tool(
    name="web_fetch",
    description=(
        "Fetch one page of the web and show its text as Markdown. Each new host is a person's to allow. Scripts do not "
        "run, nobody is signed in. Only text, JSON and XML are read. A redirect to another host is told, not followed; "
        "with auth none is followed."
    ),
    args=WebFetch,
    category=Category.READ,
    run=_run,
    for_guests=True,
    card=_card,
    assess=_assess,
    preview=_preview,
    aliases=("webFetch", "WebFetch"),
    needs=(ChatWeb,),
    grants=frozenset({"once", "session", "project"}),
    varies="A host that nobody allowed asks in every mode, and so does each fetch once the chat has read from outside.",
)
