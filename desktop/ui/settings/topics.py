"""What is found in the settings: the rows of each page, and other words by which people look for them.

Pages are made when they are first shown, and some then ask the keyring or look through folders, so a search reads these
words and makes no page. A test holds them to the pages.
"""

from collections.abc import Iterator

from desktop.language import tr
from desktop.records import dataclass

TOPICS: dict[str, dict[str, str]] = {
    "general": {
        tr("Mode of new chats"): tr("plan edit permission"),
        tr("Enter key"): tr("send new line shift"),
        tr("Folder of lanes"): tr("worktree disk place"),
        tr("Update lanes"): tr("base rebase behind"),
        tr("Deliver queued messages"): tr("queue"),
        tr("Turns at once"): tr("parallel limit"),
        tr("Sub-agents"): tr("children levels"),
        tr("Checkpoints"): tr("rewind snapshots"),
        tr("Risky commands"): tr("try copy"),
        tr("Steps in a turn"): tr("limit"),
        tr("Tokens in a turn"): tr("limit budget"),
        tr("Cost of a turn in $"): tr("limit budget money"),
        tr("Cost of a chat in $"): tr("limit budget money"),
        tr("Cost of a day in $"): tr("limit budget money daily"),
        tr("Minutes of a turn"): tr("limit time"),
        tr("Shell of terminals"): tr("bash zsh"),
        tr("Editor"): tr("open files with"),
        tr("Pictures and proofs"): tr("screenshots"),
        tr("Memory"): tr("remember"),
        tr("Memory before changes"): tr("memory search"),
        tr("Words for changes"): tr("memory"),
        tr("Words for questions"): tr("memory"),
        tr("Order of what is found"): tr("memory meaning embeddings"),
        tr("Browser for pictures"): tr("chromium"),
    },
    "providers": {
        tr("Key"): tr("api token anthropic openai gemini"),
        tr("Name"): tr("service"),
        tr("Address"): tr("base url endpoint proxy"),
        tr("Model of new chats"): tr("default claude gpt"),
        tr("Price"): tr("cost"),
        tr("Longest answer"): tr("output tokens"),
        tr("Connection"): tr("test models"),
        tr("More services"): tr("add endpoint"),
        tr("Add a service…"): tr("endpoint ollama compatible openrouter"),
    },
    "agents": {tr("New chats"): tr("agent claude code codex gemini acp"), tr("Look again"): tr("guests installed")},
    "secrets": {tr("Secrets of agents"): tr("credentials passwords tokens")},
    "github": {
        tr("Address"): "host",
        tr("Token"): tr("sign in gh pull requests"),
        tr("More hosts"): "enterprise",
    },
    "permissions": {
        tr("Rules"): tr("allow deny ask"),
        tr("Add a rule…"): tr("allow deny ask always"),
        tr("Try a command"): tr("test simulate"),
        tr("Sandbox of this computer"): tr("probe bubblewrap"),
        tr("What each tool may do"): tr("table modes"),
    },
    "databases": {
        tr("More databases"): tr("sql postgres sqlite mysql connection"),
        tr("Add a database…"): tr("sql connection password"),
    },
    "web": {
        tr("Web"): tr("internet fetch"),
        tr("The model's own search"): tr("internet"),
        tr("Search"): tr("internet brave tavily searxng"),
        tr("Hosts of your own network"): tr("private intranet"),
    },
    "skills": {
        tr("Install from a folder…"): tr("add"),
        tr("Install from a zip file…"): tr("add"),
        tr("Import from other programs…"): "claude",
        tr("Install from a git address…"): tr("add"),
        tr("Install an agent or a command…"): tr("slash"),
    },
    "hooks": {tr("Take over from another program…"): tr("import claude"), tr("Look again"): tr("scripts")},
    "mcp": {tr("Add a server…"): tr("tools"), tr("Import…"): "claude"},
    "appearance": {
        tr("Theme"): tr("dark light contrast colours system"),
        tr("Another look"): tr("paper midnight forest colours theme"),
        tr("Language"): tr("german english translation"),
        tr("Text zoom"): tr("font size scale bigger"),
        tr("Density"): tr("compact rows tight"),
        tr("Reading width"): tr("chat narrow wide column"),
        tr("Text font"): tr("typeface letters"),
        tr("Text size"): tr("font points bigger"),
        tr("Code font"): tr("typeface monospace"),
        tr("Code size"): tr("font points monospace"),
    },
    "notifications": {
        tr("Messages"): tr("notify system"),
        tr("Only elsewhere"): tr("notify focus"),
        tr("Details in text"): tr("privacy"),
        tr("Sounds"): tr("noise"),
        tr("Volume"): tr("sound"),
        tr("Waits for you"): tr("notify sound"),
        tr("Chat is done"): tr("notify sound"),
        tr("Chat failed"): tr("notify sound error"),
        tr("Budget reached"): tr("notify sound money"),
        tr("Pull request"): tr("notify sound checks"),
        tr("Quiet hours"): tr("night silence"),
        tr("Muted chats"): tr("silence"),
    },
    "advanced": {
        tr("Chats on disk"): tr("find rebuild"),
        tr("Prefix of branches"): tr("git name"),
        tr("Look at pull requests every"): tr("poll github seconds"),
        tr("Your proxy"): tr("http network"),
        tr("Your proxy is given"): tr("http network names addresses"),
        tr("Instruction files"): tr("agents.md claude.md"),
        tr("Folder of the chats"): tr("store data"),
        tr("Folder of the logs"): tr("log diagnostics"),
    },
    "about": {tr("About", context="Banksman"): tr("version licence bill of materials")},
}
"""Page, row, other words."""

FORMS: dict[str, dict[str, dict[str, str]]] = {
    "github": {
        tr("Add a GitHub Enterprise host…"): {tr("Host"): tr("enterprise server"), tr("Address"): tr("api url")},
    },
    "permissions": {
        tr("Add a rule…"): {
            tr("About", context="a rule"): tr("commands files tools"),
            tr("Agents"): tr("allow ask deny may"),
            tr("Counts", context="a rule"): tr("scope project everywhere"),
            tr("Begins with"): tr("command prefix words"),
            tr("Files"): tr("path folder"),
            tr("For"): tr("read write"),
            tr("Tool"): tr("name"),
            tr("Reason"): tr("why"),
        },
    },
    "databases": {
        tr("Add a database…"): {
            tr("Kind"): tr("dialect sqlite postgres mysql"),
            tr("Name"): tr("connection"),
            tr("File"): tr("sqlite path"),
            tr("Host"): tr("server address"),
            tr("Port"): tr("number"),
            tr("Database"): tr("schema"),
            tr("User"): tr("login account"),
            tr("Password"): tr("keyring secret"),
            tr("Production"): tr("live mark careful"),
        },
    },
    "mcp": {
        tr("Add a server…"): {
            tr("Name"): tr("server"),
            tr("It is"): tr("program address stdio http"),
            tr("Command"): tr("program start stdio"),
            tr("Address"): tr("url http remote"),
            tr("Variables"): tr("environment env secret token"),
            tr("Headers"): tr("authorization token bearer secret"),
            tr("Folder"): tr("project lane files sees"),
            tr("Also reads"): tr("files folders"),
            tr("Network"): tr("internet"),
            tr("Hosts"): tr("network domains"),
            tr("Processes"): tr("one each chat shared"),
            tr("Time limit"): tr("timeout seconds"),
            tr("Its log keeps"): tr("level debug"),
            tr("SQL dialect"): tr("database"),
            tr("SQL arguments"): tr("database"),
            tr("Several calls at once"): tr("parallel"),
            tr("It may ask you questions"): tr("elicitation"),
            tr("It may use your model"): tr("sampling"),
            tr("Tell agents what it says of itself"): tr("instructions"),
            tr("Offer its tools to external agents"): tr("guests acp"),
            tr("The address is in your own network"): tr("private intranet"),
        },
    },
}
"""Page, the button that opens a form, the form's rows, other words."""

_CHOICES: dict[tuple[str, str], str] = {
    ("permissions", tr("Files")): tr("Files"),
    ("permissions", tr("For")): tr("Files"),
    ("permissions", tr("Tool")): tr("Tool"),
    ("databases", tr("Host")): "PostgreSQL",
    ("databases", tr("Port")): "PostgreSQL",
    ("databases", tr("Database")): "PostgreSQL",
    ("databases", tr("User")): "PostgreSQL",
    ("databases", tr("Password")): "PostgreSQL",
    ("mcp", tr("Address")): tr("An address"),
    ("mcp", tr("Headers")): tr("An address"),
    ("mcp", tr("The address is in your own network")): tr("An address"),
    ("mcp", tr("Hosts")): tr("These hosts"),
}
"""Rows that a form shows with a certain choice alone."""


@dataclass(frozen=True)
class Topic:
    """A row of a page. `form`: what the button says that opens the form it stands in, "" for the page itself."""

    page: str
    row: str
    form: str = ""

    @property
    def choice(self) -> str:
        """What is to be chosen in the form before the row is there, "" for nothing."""
        return _CHOICES.get((self.page, self.row), "") if self.form else ""


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
