"""The state and the chips of a chat's header: what is true of the chat now, by which facts (gate-L1)."""

from collections.abc import Sequence
from datetime import datetime

from desktop.config.found import FoundService
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Activity
from desktop.domain.display.text import display_text
from desktop.domain.gate.sandbox import SandboxLevel, SandboxReport
from desktop.domain.mcp.updates import McpServerRow
from desktop.language import number, said, tr, trn
from desktop.records import dataclass
from desktop.ui.chats.book import ChatFacts
from desktop.ui.core.chat_state import AT_A_LIMIT, RETRYING
from desktop.ui.gate.sandbox_words import chip_words, level_sentence
from desktop.ui.gate.taint import taint_sentence, taint_short, taint_words
from desktop.ui.guests.words import agent_words
from desktop.ui.text.boundary_titles import boundary_title
from desktop.ui.text.format import age, count
from desktop.ui.widgets.addresses import address_words

NAMES = {
    "header_parent": tr("Above"),
    "header_children": tr("Sub-agents"),
    "header_agent": tr("Agent"),
    "header_sandbox": tr("Sandbox"),
    "header_primary": tr("Your checkout"),
    "header_demo": tr("Demo"),
    "header_service": tr("Model service"),
    "header_ports": tr("Ports"),
    "header_addresses": tr("Addresses"),
    "header_boundaries": tr("What you forbade"),
    "header_taint": tr("What it has read"),
    "header_vendor": tr("Searches at the vendor"),
    "header_review": tr("To review"),
    "header_hooks": tr("Hooks"),
    "header_mcp": tr("MCP servers"),
}
"""What each chip is about, in their order."""
FAILED_ICON, RETRYING_ICON = "triangle-alert", "refresh-cw"
_SERVER_WORDS = {"failed": tr("down"), "changed": tr("changed"), "waiting": tr("new", context="server")}
_NARROW: dict[SandboxLevel, tuple[str, str]] = {"none": (tr("No sandbox"), ""), "limited": ("", tr("Limited"))}


@dataclass(frozen=True)
class ChipFact:
    """What a chip reads, its colour role, what it means in one sentence, what it reads where it is narrow, and where
    not even that has room; "" for the same."""

    text: str
    role: str
    sentence: str
    short: str = ""
    least: str = ""

    def words(self, level: int) -> str:
        """What it reads: all (0), less (1), the least (2)."""
        return (level > 1 and self.least) or (level > 0 and self.short) or self.text


def chips_of(
    facts: ChatFacts,
    report: SandboxReport | None,
    servers: Sequence[McpServerRow] = (),
    hooks: Sequence[str] = (),
    *,
    at_vendor: bool = False,
    service: FoundService | None = None,
) -> dict[str, ChipFact]:
    """The chips that are true of a chat, by name. `report`: what the sandbox was last found to stop; `servers`: the MCP
    servers of the project; `hooks`: why some of its hooks do not run; `at_vendor`: the model's service may search;
    `service`: of the environment, if one answers it."""
    chips = _family(facts) | _agent(facts)
    level = _level(facts, report)
    if facts.mode is PermissionMode.FULL_AUTO and level != "full":
        chips["header_sandbox"] = ChipFact(*chip_words(level), level_sentence(level), *_NARROW[level])
    if facts.primary:
        sentence = tr("This chat changes your own files, not a lane of its own.")
        chips["header_primary"] = ChipFact(tr("Your checkout"), "warning", sentence, tr("Checkout"))
    if facts.demo:
        sentence = tr("A scripted model answers; nothing leaves this computer.")
        chips["header_demo"] = ChipFact(tr("Demo"), "accent", sentence)
    if facts.port_problem:
        chips["header_ports"] = ChipFact(tr("Port in use"), "warning", facts.port_problem, tr("Port"))
    if facts.addresses:
        sentence = tr("Open {addresses} in the browser.", addresses=", ".join(facts.addresses))
        chips["header_addresses"] = ChipFact(address_words(facts.addresses), "accent", sentence, tr("Open"))
    if held := [one for one in facts.boundaries if one.holds or one.state == "kept"]:
        words = count(len(held), "boundary", "boundaries")
        sentence = tr(
            "You said: {boundaries}. Look at them over the composer.",
            boundaries=" · ".join(display_text(boundary_title(one.title)) for one in held),
        )
        chips["header_boundaries"] = ChipFact(words, "accent", sentence, least=number(len(held)))
    if facts.tainted:
        words = taint_words(facts.taint_reasons)
        chips["header_taint"] = ChipFact(
            words, "warning", taint_sentence(facts.taint_reasons), *taint_short(facts.taint_reasons)
        )
    if facts.reviews:
        sentence = tr("These calls ran without asking. Look back on them in the Audit tab.")
        chips["header_review"] = ChipFact(
            trn(facts.reviews, "{n} to review", "{n} to review"),
            "accent",
            sentence,
            trn(facts.reviews, "{n} review", "{n} reviews"),
            number(facts.reviews),
        )
    if hooks:
        sentence = tr("{reasons} Look at them in the settings.", reasons=display_text(" ".join(map(said, hooks))))
        chips["header_hooks"] = ChipFact(tr("Hooks wait"), "warning", sentence, tr("Hooks"))
    return chips | _service(service) | _vendor(at_vendor) | _servers(servers)


def _vendor(searches: bool) -> dict[str, ChipFact]:
    """What the model's own service may do by itself."""
    if not searches:
        return {}
    sentence = tr(
        "The model's service searches the web by itself while it answers; Banksman sees that afterwards. Look at it in "
        "the settings."
    )
    return {"header_vendor": ChipFact(tr("Searches at the vendor"), "warning", sentence, tr("Searches"))}


def _agent(facts: ChatFacts) -> dict[str, ChipFact]:
    """The agent of others that carries it out."""
    if facts.guest is None:
        return {}
    sentence = tr("An agent of others carries out this chat. See what keeps it.")
    role = "warning" if facts.guest.state == "missing" else "neutral"
    return {"header_agent": ChipFact(agent_words(facts.guest), role, sentence, display_text(facts.guest.label))}


def _service(service: FoundService | None) -> dict[str, ChipFact]:
    """The address that nobody set up, to which the requests go."""
    if service is None:
        return {}
    address = display_text(service.endpoint.base_url)
    sentence = tr(
        "Model requests of this chat go to {address}, found in {variables}.",
        address=address,
        variables=service.variables,
    )
    return {"header_service": ChipFact(address.split("://", 1)[-1], "neutral", sentence, tr("Service"))}


def _servers(servers: Sequence[McpServerRow]) -> dict[str, ChipFact]:
    """The MCP servers that a person has to see to: down, other than what was accepted, or never looked at."""
    on = [row for row in servers if row.server.enabled]
    groups = {
        "failed": [display_text(row.id) for row in on if row.state == "failed"],
        "changed": [display_text(row.id) for row in on if row.state == "changed"],
        "waiting": [display_text(row.id) for row in on if row.state == "waiting"],
    }
    told = [f"{number(len(ids))} {_SERVER_WORDS[state]}" for state, ids in groups.items() if ids]
    if not told:
        return {}
    role = "warning" if groups["failed"] or groups["changed"] else "neutral"
    which = "; ".join(f"{', '.join(ids)}: {_SERVER_WORDS[state]}" for state, ids in groups.items() if ids)
    sentence = tr("MCP servers that wait for you. {which}. Look at them in the settings.", which=which)
    return {
        "header_mcp": ChipFact(
            tr("MCP: {told}", told=", ".join(told)), role, sentence, f"MCP {number(len(which.split(', ')))}"
        )
    }


def _family(facts: ChatFacts) -> dict[str, ChipFact]:
    """The chat above, and the sub-agents."""
    chips: dict[str, ChipFact] = {}
    if facts.parent_id:
        above = facts.parent_title or tr("the chat above")
        sentence = tr("A sub-agent of “{above}”. Go back to it.", above=above)
        chips["header_parent"] = ChipFact(f"‹ {above}", "accent", sentence, f"‹ {tr('Above')}")
    if facts.children:
        running = sum(child.works for child in facts.children)
        shown = running or len(facts.children)
        words = trn(running, "{n} running", "{n} running") if running else count(shown, "sub-agent")
        sentence = tr("The sub-agents of this chat. Open one, or stop one that runs.")
        role = "accent" if running else "neutral"
        chips["header_children"] = ChipFact(words, role, sentence, least=number(shown))
    return chips


def _level(facts: ChatFacts, report: SandboxReport | None) -> SandboxLevel:
    if report is not None:
        return report.level
    return "none" if facts.without_sandbox else "full"


def header_state(facts: ChatFacts, now: datetime) -> tuple[str, str, str]:
    """Icon, token and words of a chat's state, exactly one: waiting beats retrying beats running."""
    if facts.archived:
        return "archive", "muted", tr("archived")
    if facts.waiting:
        return "circle-dot", "warning", tr("waiting for you")
    if facts.activity is Activity.STOPPING:
        return "square", "muted", tr("stopping…")
    if facts.activity is Activity.RETRYING:
        seconds = max(0, round((facts.retry_at - now).total_seconds())) if facts.retry_at is not None else 0
        return RETRYING_ICON, "warning", tr("retrying in {seconds} s", seconds=seconds) if seconds else RETRYING
    if facts.turn_running:
        since = age(facts.since, now) if facts.since is not None else tr("just now")
        words = tr("running") if since == tr("just now") else tr("running · {time}", time=since)
        return "loader-circle", "accent", words
    return _resting_state(facts)


def _resting_state(facts: ChatFacts) -> tuple[str, str, str]:
    if facts.queue_held == "setup":
        return "clock", "muted", tr("waiting for setup")
    if facts.interrupted:
        return "pause", "warning", tr("interrupted")
    if facts.failed:
        return FAILED_ICON, "danger", tr("failed")
    if facts.limited:
        return "circle-pause", "warning", AT_A_LIMIT
    return "circle", "muted", tr("idle")
