"""What the composer shows of a chat, or of one that is not begun: mode, model, and why nothing can be sent."""

from desktop.domain.core.work import Activity
from desktop.domain.display.text import display_text
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.composer.composer import ComposerState
from desktop.ui.chats.composer.drafts import NEW_CHAT
from desktop.ui.chats.composer.writing import Writing
from desktop.ui.chats.new_chat import NewChat
from desktop.ui.core.engine_facts import EngineFacts


def new_chat_state(engine: EngineFacts, new: NewChat, writing: Writing) -> ComposerState:
    """Of the page of a new chat."""
    endpoint_id, model = new.model
    blocked = engine.blocked(endpoint_id)
    if engine.project is None:
        blocked = blocked or "Open a repository first."
    blocked = blocked or display_text(engine.problem) or writing.blocked
    return ComposerState(
        new=True, mode=new.mode, model=display_text(model), blocked=blocked, files=len(writing.files.items(NEW_CHAT))
    )


def chat_state(
    facts: ChatFacts, engine: EngineFacts, commands: ChatCommands, writing: Writing, stop_asked: str
) -> ComposerState:
    """Of a chat. `stop_asked`: the chat whose turn was asked to stop, "" for none."""
    running, session_id = facts.turn_running, facts.session_id
    blocked = facts.read_only or engine.blocked(facts.endpoint_id)
    if not blocked and commands.sending(session_id):
        blocked = "Sending…"
    blocked = blocked or writing.blocked
    tip = "Choose the model. It applies to the next turn." if running else "Choose the model"
    return ComposerState(
        mode=facts.mode,
        pending_mode=commands.pending_mode(session_id),
        model=facts.model_words,
        model_tip=tip,
        running=running,
        blocked=blocked,
        files=len(writing.files.items(session_id)),
        stopping=facts.activity is Activity.STOPPING or stop_asked == session_id,
    )
