"""request_credential: a secret that a person types on a card, and that the agent can use by its name alone."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.permissions import Category
from desktop.domain.credentials.names import name_problem
from desktop.policy import refusals
from desktop.policy.network.hosts import Refused, check_allowed
from desktop.tools.argument_checks import one_line
from desktop.tools.arguments import spellings_for
from desktop.tools.calls.credentials import ChatCredentials, CredentialDeclined, WantedCredential
from desktop.tools.offers import Person
from desktop.tools.text import title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult


class RequestCredential(ToolArgs):
    """The arguments of `request_credential`: what the secret opens, and what it is wanted for."""

    provider: str = Field(min_length=1, max_length=60, description="The service that the secret is for.")
    label: str = Field(default="", max_length=120, description="Which secret of that service it is.")
    description: str = Field(default="", max_length=500, description="What you need it for; the person reads this.")
    placeholder: str = Field(default="", max_length=60, description="How such a secret begins, as ghp_…")
    names: list[str] = Field(
        default=[], max_length=5, description="The variables as which you mean to use it; the person may change them."
    )

    hosts: list[str] = Field(
        default=[],
        max_length=5,
        description="The hosts to which web_fetch may send it, as api.example.com; the person may change them.",
    )

    skill: str = Field(default="", max_length=64, description="The loaded skill that wants it, if one does.")
    secret: str = Field(default="", max_length=60, description="What that skill calls it.")

    _is_one_line = field_validator("provider", "label", "placeholder", "skill", "secret")(one_line)

    @field_validator("names")
    @classmethod
    def _can_be_set(cls, names: list[str]) -> list[str]:
        for name in names:
            if problem := name_problem(name):
                raise ValueError(problem)
        return names

    @field_validator("hosts")
    @classmethod
    def _are_hosts(cls, hosts: list[str]) -> list[str]:
        for host in hosts:
            if isinstance(found := check_allowed(host), Refused):
                raise ValueError(found.reason)
        return hosts


def _card(args: RequestCredential) -> Card:
    lines = [line for line in (args.label, args.description) if line]
    blocks = (TextBlock(text="\n".join(lines)),) if lines else ()
    return Card(title=title_line(f"Ask for a secret for {args.provider}"), blocks=blocks)


async def _run(args: RequestCredential, ctx: ToolContext) -> ToolResult:
    if not ctx.can_ask:
        raise ToolError(refusals.NO_PERSON, summary="nobody to ask")
    wanted = WantedCredential(
        provider=args.provider.strip(),
        label=args.label.strip(),
        why=args.description.strip(),
        placeholder=args.placeholder.strip(),
        names=tuple(dict.fromkeys(args.names)),
        hosts=tuple(dict.fromkeys(args.hosts)),
        skill=args.skill,
        secret=args.secret,
    )
    try:
        record = await ctx.offer(ChatCredentials).request(ctx.call_id, wanted, ctx.ask)
    except CredentialDeclined as no:
        words = f" Reason: {no.note.strip()}" if no.note.strip() else ""
        text = f"The person gave no secret.{words}"
        return ToolResult(text=text, is_error=True, summary="not given", stops_turn=no.stop_turn)
    if args.skill:
        how = f'Name {{"skill": "{args.skill}"}} in the secrets of a bash call made for it.'
        text = f"{record.handle} is the secret '{args.secret}' of the skill {args.skill}. {how}"
        return ToolResult(text=text, summary=f"bound to {args.skill}")
    names = f" It may be given as {' or '.join(record.names)}." if record.names else ""
    sent = f" web_fetch may send it to {' or '.join(record.hosts)}, named in auth." if record.hosts else ""
    return ToolResult(
        text=f"Stored as {record.handle} for {record.provider}.{names} Name it in the secrets of a bash call.{sent}",
        summary=f"stored as {record.handle}",
    )


TOOL = Tool(
    name="request_credential",
    aliases=("RequestCredential", "requestCredential"),
    description=(
        "Ask the person for a secret, such as a token. They type it on a card; it is kept in the system keyring and "
        "you never see it. You get secret:<id>, which you name in the secrets of a bash call. Every use is asked about."
    ),
    guidance=(
        "When a command needs a token, password or key, ask for it with request_credential. Never ask for one in the "
        "chat, and never write one into a file or a command."
    ),
    args=RequestCredential,
    spellings=spellings_for(RequestCredential),
    category=Category.READ,
    needs=(Person, ChatCredentials),
    parallel=False,
    asks_person=True,
    card=_card,
    run=_run,
    varies="It is itself a card, in every mode: a person types the secret or declines.",
)
