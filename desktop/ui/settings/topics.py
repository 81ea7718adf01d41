"""What is found in the settings: the rows of each page, and other words by which people look for them.

Pages are made when they are first shown, and some then ask the keyring or look through folders, so a search reads these
words and makes no page. A test holds them to the pages.
"""

from desktop.records import dataclass

TOPICS: dict[str, dict[str, str]] = {
    "general": {
        "Mode of new chats": "plan edit permission",
        "Enter key": "send new line shift",
        "Folder of lanes": "worktree disk place",
        "Update lanes": "base rebase behind",
        "Deliver queued messages": "queue",
        "Turns at once": "parallel limit",
        "Sub-agents": "children levels",
        "Checkpoints": "rewind snapshots",
        "Risky commands": "try copy",
        "Steps in a turn": "limit",
        "Tokens in a turn": "limit budget",
        "Cost of a turn in $": "limit budget money",
        "Cost of a chat in $": "limit budget money",
        "Cost of a day in $": "limit budget money daily",
        "Minutes of a turn": "limit time",
        "Shell of terminals": "bash zsh",
        "Editor": "open files with",
        "Pictures and proofs": "screenshots",
        "Memory": "remember",
        "Before changes": "memory search",
        "Words for changes": "memory",
        "Words for questions": "memory",
        "Order of what is found": "memory meaning embeddings",
        "Browser for pictures": "chromium",
    },
    "providers": {
        "Key": "api token anthropic openai gemini",
        "Name": "service",
        "Address": "base url endpoint proxy",
        "Model of new chats": "default claude gpt",
        "Price": "cost",
        "Longest answer": "output tokens",
        "Connection": "test models",
        "More services": "add endpoint",
        "Add a service…": "endpoint ollama compatible openrouter",
    },
    "agents": {"New chats": "agent claude code codex gemini acp", "Look again": "guests installed"},
    "secrets": {"Secrets of agents": "credentials passwords tokens"},
    "github": {
        "Address": "host",
        "Token": "sign in gh pull requests",
        "More hosts": "enterprise",
    },
    "permissions": {
        "Rules": "allow deny ask",
        "Add a rule…": "allow deny ask always",
        "Try a command": "test simulate",
        "Sandbox of this computer": "probe bubblewrap",
        "What each tool may do": "table modes",
    },
    "databases": {
        "More databases": "sql postgres sqlite mysql connection",
        "Add a database…": "sql connection password",
    },
    "web": {
        "Web": "internet fetch",
        "The model's own search": "internet",
        "Search": "internet brave tavily searxng",
        "Hosts of your own network": "private intranet",
    },
    "skills": {
        "Install from a folder…": "add",
        "Install from a zip file…": "add",
        "Import from other programs…": "claude",
        "Install from a git address…": "add",
        "Install an agent or a command…": "slash",
    },
    "hooks": {"Take over from another program…": "import claude", "Look again": "scripts"},
    "mcp": {"Add a server…": "tools", "Import…": "claude"},
    "appearance": {
        "Theme": "dark light contrast colours system",
        "Another look": "paper midnight forest colours theme",
        "Text zoom": "font size scale bigger",
        "Density": "compact rows tight",
        "Reading width": "chat narrow wide column",
        "Text font": "typeface letters",
        "Text size": "font points bigger",
        "Code font": "typeface monospace",
        "Code size": "font points monospace",
    },
    "notifications": {
        "Messages": "notify system",
        "Only elsewhere": "notify focus",
        "Details in text": "privacy",
        "Sounds": "noise",
        "Volume": "sound",
        "Waits for you": "notify sound",
        "Chat is done": "notify sound",
        "Chat failed": "notify sound error",
        "Budget reached": "notify sound money",
        "Pull request": "notify sound checks",
        "Quiet hours": "night silence",
        "Muted chats": "silence",
    },
    "advanced": {
        "Chats on disk": "find rebuild",
        "Prefix of branches": "git name",
        "Look at pull requests every": "poll github seconds",
        "Your proxy": "http network",
        "Your proxy is given": "http network names addresses",
        "Instruction files": "agents.md claude.md",
        "Folder of the chats": "store data",
        "Folder of the logs": "log diagnostics",
    },
    "about": {"About": "version licence bill of materials"},
}
"""Page, row, other words."""


@dataclass(frozen=True)
class Topic:
    """A row of a page."""

    page: str
    row: str


def found(text: str, titles: dict[str, str]) -> list[Topic]:
    """The rows in which every word of `text` begins a word: in their own words first, then in those of their page
    (`titles`) and others. Nothing for no word."""
    words = text.casefold().split()
    if not words:
        return []
    own, other = [], []
    for page, rows in TOPICS.items():
        for row, more in rows.items():
            if _has(words, row):
                own.append(Topic(page, row))
            elif _has(words, f"{row} {titles.get(page, '')} {more}"):
                other.append(Topic(page, row))
    return own + other


def _has(words: list[str], text: str) -> bool:
    inside = text.casefold().replace("-", " ").split()
    return all(any(one.startswith(word) for one in inside) for word in words)
