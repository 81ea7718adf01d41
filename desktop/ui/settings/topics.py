"""What is found in the settings: the rows of each page, and other words by which people look for them.

Pages are made when they are first shown, and some then ask the keyring or look through folders, so a search reads these
words and makes no page. A test holds them to the pages.
"""

from collections.abc import Iterator

from desktop.language import tr
from desktop.records import dataclass

TOPICS: dict[str, dict[str, str]] = {
    "general": {
        "Mode of new chats": tr("plan edit permission"),
        "Enter key": tr("send new line shift"),
        "Folder of lanes": tr("worktree disk place"),
        "Update lanes": tr("base rebase behind"),
        "Deliver queued messages": tr("queue"),
        "Turns at once": tr("parallel limit"),
        "Sub-agents": tr("children levels"),
        "Checkpoints": tr("rewind snapshots"),
        "Risky commands": tr("try copy"),
        "Steps in a turn": tr("limit"),
        "Tokens in a turn": tr("limit budget"),
        "Cost of a turn in $": tr("limit budget money"),
        "Cost of a chat in $": tr("limit budget money"),
        "Cost of a day in $": tr("limit budget money daily"),
        "Minutes of a turn": tr("limit time"),
        "Shell of terminals": tr("bash zsh"),
        "Editor": tr("open files with"),
        "Pictures and proofs": tr("screenshots"),
        "Memory": tr("remember"),
        "Before changes": tr("memory search"),
        "Words for changes": tr("memory"),
        "Words for questions": tr("memory"),
        "Order of what is found": tr("memory meaning embeddings"),
        "Browser for pictures": tr("chromium"),
    },
    "providers": {
        "Key": tr("api token anthropic openai gemini"),
        "Name": tr("service"),
        "Address": tr("base url endpoint proxy"),
        "Model of new chats": tr("default claude gpt"),
        "Price": tr("cost"),
        "Longest answer": tr("output tokens"),
        "Connection": tr("test models"),
        "More services": tr("add endpoint"),
        "Add a service…": tr("endpoint ollama compatible openrouter"),
    },
    "agents": {"New chats": tr("agent claude code codex gemini acp"), "Look again": tr("guests installed")},
    "secrets": {"Secrets of agents": tr("credentials passwords tokens")},
    "github": {
        "Address": "host",
        "Token": tr("sign in gh pull requests"),
        "More hosts": "enterprise",
    },
    "permissions": {
        "Rules": tr("allow deny ask"),
        "Add a rule…": tr("allow deny ask always"),
        "Try a command": tr("test simulate"),
        "Sandbox of this computer": tr("probe bubblewrap"),
        "What each tool may do": tr("table modes"),
    },
    "databases": {
        "More databases": tr("sql postgres sqlite mysql connection"),
        "Add a database…": tr("sql connection password"),
    },
    "web": {
        "Web": tr("internet fetch"),
        "The model's own search": tr("internet"),
        "Search": tr("internet brave tavily searxng"),
        "Hosts of your own network": tr("private intranet"),
    },
    "skills": {
        "Install from a folder…": "add",
        "Install from a zip file…": "add",
        "Import from other programs…": "claude",
        "Install from a git address…": "add",
        "Install an agent or a command…": "slash",
    },
    "hooks": {"Take over from another program…": tr("import claude"), "Look again": tr("scripts")},
    "mcp": {"Add a server…": "tools", "Import…": "claude"},
    "appearance": {
        "Theme": tr("dark light contrast colours system"),
        "Another look": tr("paper midnight forest colours theme"),
        "Language": tr("german english translation"),
        "Text zoom": tr("font size scale bigger"),
        "Density": tr("compact rows tight"),
        "Reading width": tr("chat narrow wide column"),
        "Text font": tr("typeface letters"),
        "Text size": tr("font points bigger"),
        "Code font": tr("typeface monospace"),
        "Code size": tr("font points monospace"),
    },
    "notifications": {
        "Messages": tr("notify system"),
        "Only elsewhere": tr("notify focus"),
        "Details in text": tr("privacy"),
        "Sounds": tr("noise"),
        "Volume": tr("sound"),
        "Waits for you": tr("notify sound"),
        "Chat is done": tr("notify sound"),
        "Chat failed": tr("notify sound error"),
        "Budget reached": tr("notify sound money"),
        "Pull request": tr("notify sound checks"),
        "Quiet hours": tr("night silence"),
        "Muted chats": tr("silence"),
    },
    "advanced": {
        "Chats on disk": tr("find rebuild"),
        "Prefix of branches": tr("git name"),
        "Look at pull requests every": tr("poll github seconds"),
        "Your proxy": tr("http network"),
        "Your proxy is given": tr("http network names addresses"),
        "Instruction files": tr("agents.md claude.md"),
        "Folder of the chats": tr("store data"),
        "Folder of the logs": tr("log diagnostics"),
    },
    "about": {"About": tr("version licence bill of materials")},
}
"""Page, row, other words."""

FORMS: dict[str, dict[str, dict[str, str]]] = {
    "github": {
        "Add a GitHub Enterprise host…": {"Host": tr("enterprise server"), "Address": tr("api url")},
    },
    "permissions": {
        "Add a rule…": {
            "About": tr("commands files tools"),
            "Agents": tr("allow ask deny may"),
            "Counts": tr("scope project everywhere"),
            "Begins with": tr("command prefix words"),
            "Files": tr("path folder"),
            "For": tr("read write"),
            "Tool": tr("name"),
            "Reason": tr("why"),
        },
    },
    "databases": {
        "Add a database…": {
            "Kind": tr("dialect sqlite postgres mysql"),
            "Name": tr("connection"),
            "File": tr("sqlite path"),
            "Host": tr("server address"),
            "Port": tr("number"),
            "Database": tr("schema"),
            "User": tr("login account"),
            "Password": tr("keyring secret"),
            "Production": tr("live mark careful"),
        },
    },
    "mcp": {
        "Add a server…": {
            "Name": tr("server"),
            "It is": tr("program address stdio http"),
            "Command": tr("program start stdio"),
            "Address": tr("url http remote"),
            "Variables": tr("environment env secret token"),
            "Headers": tr("authorization token bearer secret"),
            "Folder": tr("project lane files sees"),
            "Also reads": tr("files folders"),
            "Network": tr("internet"),
            "Hosts": tr("network domains"),
            "Processes": tr("one each chat shared"),
            "Time limit": tr("timeout seconds"),
            "Its log keeps": tr("level debug"),
            "SQL dialect": tr("database"),
            "SQL arguments": tr("database"),
            "Several calls at once": tr("parallel"),
            "It may ask you questions": tr("elicitation"),
            "It may use your model": tr("sampling"),
            "Tell agents what it says of itself": tr("instructions"),
            "Offer its tools to external agents": tr("guests acp"),
            "The address is in your own network": tr("private intranet"),
        },
    },
}
"""Page, the button that opens a form, the form's rows, other words."""


@dataclass(frozen=True)
class Topic:
    """A row of a page. `form`: what the button says that opens the form it stands in, "" for the page itself."""

    page: str
    row: str
    form: str = ""


def found(text: str, titles: dict[str, str]) -> list[Topic]:
    """The rows in which every word of `text` begins a word: in their own words first, then in those of their page
    (`titles`) and others. The words of a page alone do not find the rows of its forms. Nothing for no word."""
    words = text.casefold().split()
    if not words:
        return []
    own, other = [], []
    for topic, more in _rows():
        title = titles.get(topic.page, "")
        if _has(words, topic.row):
            own.append(topic)
        elif _has(words, f"{topic.row} {title} {more}") and not (topic.form and _has(words, title)):
            other.append(topic)
    return own + other


def _rows() -> Iterator[tuple[Topic, str]]:
    """The rows of the pages and then those of their forms, with their other words."""
    for page, rows in TOPICS.items():
        yield from ((Topic(page, row), more) for row, more in rows.items())
    for page, forms in FORMS.items():
        for form, rows in forms.items():
            yield from ((Topic(page, row, form), more) for row, more in rows.items())


def _has(words: list[str], text: str) -> bool:
    inside = text.casefold().replace("-", " ").split()
    return all(any(one.startswith(word) for one in inside) for word in words)
