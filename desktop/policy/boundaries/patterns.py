"""How people begin to say that something must not be done, must be asked about, or may be done again."""

import re

NOT = (
    r"(?:do not|don[’']?t|dont|never|must not|mustn[’']t|should not|shouldn[’']t|should never|must never|may not|"
    r"(?<=you )(?:cannot|can[’']?t))"
)
LEAD = (
    r"(?:(?:please|pls|and|but|also|then|so|ok|okay|just|now|again|however|important|note|remember|remember to|btw|ps|"
    r"for now|for the moment|today|in this chat|whatever (?:you do|happens)|under no circumstances|by the way|"
    r"most of all|above all|you|first|finally|make sure(?: that)? you|make sure to|be sure to|be careful to)"
    r"\b[\s,:–-]*)*"
)
FORBID = re.compile(
    rf"^{LEAD}(?:(?:ever )?{NOT}(?: ever| even| you ever)?|i (?:do not|don[’']?t|dont) want you to|try not to|"
    r"be careful not to|make sure not to|you are not (?:allowed )?to|you[’']re not (?:allowed )?to|avoid|refrain from)"
    r"\b[\s,]+",
    re.IGNORECASE,
)
ASK = re.compile(
    rf"^{LEAD}(?:always )?(?:ask|check with|tell|talk to|confirm with)(?: me| us)?(?: first)?,? (?:before|prior to) "
    r"(?:you )?(?:ever )?",
    re.IGNORECASE,
)
ONLY = re.compile(
    rf"^{LEAD}only (?:change|touch|edit|modify|write|work|make changes)(?: to| in)?(?: files?)?"
    r"(?: in| inside| under)? (?P<t>.+)$",
    re.IGNORECASE,
)
HANDS_OFF = re.compile(rf"^{LEAD}(?:keep (?:your )?)?hands off (?:of )?(?P<t>.+)$", re.IGNORECASE)
ALONE = re.compile(rf"^{LEAD}leave (?P<t>.+?) (?:alone|as (?:it|they) (?:is|are)|untouched|unchanged)\b", re.IGNORECASE)
OFFLINE = re.compile(rf"^{LEAD}(?:stay offline|work offline|no (?:internet|network|web)(?: access)?)\b", re.IGNORECASE)
SPEND = re.compile(
    rf"^{LEAD}(?:{NOT} (?:ever )?spend (?:more than|over)|spend (?:at most|no more than|not more than|up to|less than)|"
    r"at most|no more than)\s+(?P<front>\$|usd )?\s*(?P<n>\d{1,6}(?:\.\d{1,2})?)\s*"
    r"(?P<unit>\$|dollars?\b|usd\b|bucks?\b|cents?\b)?"
    r"(?: (?:on|for|in) [\w ]{1,40}| in total| altogether)?(?:,? please)?$",
    re.IGNORECASE,
)
"""What a chat may cost; only with a word for money."""
NO = re.compile(
    rf"^{LEAD}no (?:new |more |further |extra |git )?(?P<w>push(?:es|ing)?|commits?|committing|prs?|pull[- ]requests?|"
    r"dependenc(?:y|ies)|packages|installs?|installing|deletions?|deleting|sub-?agents?)"
    r"(?= *(?:$|please|yet|for now|at all|until|,))",
    re.IGNORECASE,
)
NO_ACTIONS = (
    ("push", "push"), ("commit", "commit"), ("pr", "pull_request"), ("pull", "pull_request"), ("dep", "install"),
    ("pack", "install"), ("inst", "install"), ("del", "delete"), ("sub", "subagents"),
)  # fmt: skip
LIFT = re.compile(
    rf"^{LEAD}(?:(?:may|can)(?: now)?|are (?:now )?allowed to|go ahead and|feel free to|it[’']?s (?:ok|okay|fine) to)"
    r"(?: now)? (?P<rest>.+)$",
    re.IGNORECASE,
)
ALL_BUT = re.compile(
    r"^(?:anything|any (?:other )?files?|files|any code|code)(?: else)? "
    r"(?:(?:that is |that[’']s )?outside(?: of)?|except(?: for| in)?|other than|apart from|besides|but) (?P<t>.+)$",
    re.IGNORECASE,
)
"""The verb aside, words that leave out one place of all."""
CONDITION = re.compile(
    r"\b(?:yet|until|till|before|unless|without (?:asking|my|checking|telling)|for now|first)\b.*$", re.IGNORECASE
)
DATABASE = re.compile(
    r"^(?:the |our |my |any )?(?:(?:prod(?:uction)?|live|staging) )?(?:database|db|data ?base)s?\b", re.IGNORECASE
)
MCP_SERVER = re.compile(
    r"^ ?(?:(?:any|the|our|my|all|an)\b ?)*(?:(?P<n>[\w.-]+) )??mcps?\b(?: (?:servers?|tools?))?"
    r"(?: (?P<m>[\w.-]+))?\s*$",
    re.IGNORECASE,
)
"""The MCP server that is meant, by a name before or after the word; none for all."""
TESTS = re.compile(r"^(?:the |any |all )*(?:\w+[- ])?tests?(?: suites?)?\b", re.IGNORECASE)
ALL_TESTS = re.compile(r"(?:(?:the|any|all) )*tests?(?: suites?)?", re.IGNORECASE)
JOIN = re.compile(r"\s*,?\s+(?:or|and|nor)\s+(?:even |to |ever )?|,\s+")
ASIDE = re.compile(
    r",\s*(?:under any circumstances|ever|please|at all|in any case|whatever happens|no matter what)\s*,",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?:[^.!?;\n]|[.!?](?=\S))+[.!?;]*")
SPLIT = re.compile(
    r"(?<!anything),?\s+(?:but|then)\s+|\s+[–—-]\s+|:\s+|"
    rf",?\s+and\s+(?={LEAD}(?:{NOT}\b|stay offline|leave |only |hands off|ask ))|,\s+(?={LEAD}(?:{NOT}\b|but ))",
    re.IGNORECASE,
)
LEFT_OUT = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*$|“[^”\n]*”|\"[^\"\n]*\"|^(?: {4}|\t)[^\n]*$", re.DOTALL | re.MULTILINE
)
NAMED_COMMAND = re.compile(r"^`?(?P<c>[\w./-]+(?: [\w./:-]+){0,3})`?$")
PROGRAMS = frozenset(
    {
        *("make", "npm", "pnpm", "yarn", "bun", "python", "python3", "node", "docker", "kubectl", "terraform"),
        *("ansible", "cargo", "go", "sh", "bash", "just", "task", "rake", "gradle", "mvn", "psql", "mysql"),
        *("sqlite3", "alembic", "django-admin", "heroku", "aws", "gcloud", "az", "fly", "vercel", "netlify", "git"),
    }
)
_FIRST_WORDS = frozenset(
    {
        *("please", "pls", "and", "but", "also", "then", "so", "ok", "okay", "just", "now", "again", "however"),
        *("important", "note", "remember", "btw", "ps", "for", "today", "in", "whatever", "under", "by"),
        *("most", "above", "you", "first", "finally", "make", "be", "ever", "do", "never", "must", "should"),
        *("may", "cannot", "i", "try", "you're", "avoid", "refrain", "always", "ask", "check", "tell", "talk"),
        *("confirm", "only", "keep", "hands", "leave", "stay", "work", "no", "can", "spend", "at", "are", "go", "feel"),
        *("it's", "don't", "dont", "mustn't", "shouldn't", "can't"),
    }
)
_FIRST = re.compile(r"[\w’']+")


def begins(said: str) -> bool:
    """Whether words that forbid, ask or lift can begin like this: a quick look before the patterns above."""
    first = _FIRST.match(said)
    return first is not None and first[0].casefold().replace("’", "'") in _FIRST_WORDS
