"""What the composer shows of a chat, or of one that is not begun: mode, model, and why nothing can be sent."""

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Activity
from desktop.domain.display.text import display_text
from desktop.language import said, tr
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.composer.composer import SENDING, ComposerState
from desktop.ui.chats.composer.drafts import NEW_CHAT
from desktop.ui.chats.composer.writing import Writing
from desktop.ui.chats.new_chat import NewChat
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.guests.words import model_words

NO_MODEL = tr("Choose a model first.")


def new_chat_state(engine: EngineFacts, new: NewChat, writing: Writing) -> ComposerState:
    """Of the page of a new chat."""
    endpoint_id, model = new.model
    blocked = engine.blocked(endpoint_id)
    if engine.project is None:
        blocked = blocked or tr("Open a repository first.")
    if not new.guest_id and not model:
        blocked = blocked or NO_MODEL
    blocked = (
        blocked or display_text(said(engine.problem)) or never_asks(engine, new.guest_id, new.mode) or writing.blocked
    )
    guest = engine.guest_label(new.guest_id) if new.guest_id else ""
    return ComposerState(
        new=True,
        mode=new.mode,
        model=guest or display_text(engine.model_name(endpoint_id, model)),
        model_tip=tr("Choose the model, or another agent"),
        blocked=blocked,
        files=len(writing.files.items(NEW_CHAT)),
    )


def never_asks(engine: EngineFacts, guest_id: str, mode: PermissionMode) -> str:
    """Why an agent that never asks before it acts cannot begin in this mode (guests-A27), "" if it can."""
    listed = engine.guest(guest_id)
    if listed is None or listed.asks or mode is PermissionMode.FULL_AUTO:
        return ""
    return tr(
        "{guest_label} does not ask before it acts, so it works in Full auto alone.",
        guest_label=engine.guest_label(guest_id),
    )


def _model_words(facts: ChatFacts, engine: EngineFacts) -> str:
    """The model, and how long it thinks where that was chosen."""
    effort = f" · {facts.thinking}" if facts.thinking != "off" else ""
    return f"{display_text(engine.model_name(facts.endpoint_id, facts.model))}{effort}" if facts.model else ""


def chat_state(
    facts: ChatFacts, engine: EngineFacts, commands: ChatCommands, writing: Writing, stop_asked: str
) -> ComposerState:
    """Of a chat. `stop_asked`: the chat whose turn was asked to stop, "" for none."""
    running, session_id = facts.turn_running, facts.session_id
    blocked = facts.read_only or engine.blocked(facts.endpoint_id)
    if not blocked and commands.sending(session_id):
        blocked = SENDING
    blocked = blocked or writing.blocked
    tip = tr("Choose the model. It applies to the next turn.") if running else tr("Choose the model")
    model = _model_words(facts, engine)
    if facts.guest_id:
        model = model_words(facts.guest) or engine.guest_label(facts.guest_id)
        tip = tr("What can be chosen of the agent")
    return ComposerState(
        mode=facts.mode,
        pending_mode=commands.pending_mode(session_id),
        model=model,
        model_tip=tip,
        running=running,
        blocked=blocked,
        files=len(writing.files.items(session_id)),
        stopping=facts.activity is Activity.STOPPING or stop_asked == session_id,
    )
