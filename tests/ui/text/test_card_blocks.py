"""The blocks of cards: what the program says in them is told in the language, nothing of the agent is."""

import pytest

from desktop.domain.core.content import CodeBlock, TextBlock
from desktop.ui.text.card_blocks import told_blocks

TREE = 'note: 3,000 lines, 28,889 characters, shown below\n"a: (2 items)": 3\nlist: (1 item)\n'
TREE += '  - (2 fields)\n    b: "(2 items)"'
BLOCKS = (CodeBlock(language="text", text=TREE), CodeBlock(language="text", text="list: (1 item)"))
SAID = TextBlock(text="No commits of its own.")


def test_blocks_stand_as_they_were_recorded_in_english():
    assert told_blocks((*BLOCKS, SAID), of_server=True) == (*BLOCKS, SAID)


@pytest.mark.usefixtures("german")
def test_what_the_tree_says_itself_is_told_in_the_language_and_nothing_of_the_agent():
    tree, apart = told_blocks(BLOCKS, of_server=True)
    assert tree.text.splitlines() == [
        "note: 3.000 Zeilen, 28.889 Zeichen, unten gezeigt",
        '"a: (2 items)": 3',
        "list: (1 Punkt)",
        "  - (2 Felder)",
        '    b: "(2 items)"',
    ]
    assert apart == BLOCKS[1]
    assert told_blocks(BLOCKS) == BLOCKS


@pytest.mark.usefixtures("german")
def test_what_is_known_of_a_server_is_told_in_the_language_and_its_own_words_are_not():
    about = "The server db runs in the sandbox and has the project's main checkout (~/shop), to read, and no network.\n"
    about += "Claimed by the server: it only reads; it may be repeated.\nThe server says: Runs SQL. It is quick."
    (told,) = told_blocks((TextBlock(text=about),))
    assert told.text.splitlines() == [
        "Der Server db läuft in der Sandbox und hat den Haupt-Checkout des Projekts (~/shop) zum Lesen und kein Netz.",
        "Nach Angabe des Servers: er liest nur; er kann wiederholt werden.",
        "Der Server sagt: Runs SQL. It is quick.",
    ]
