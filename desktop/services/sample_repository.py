"""create_sample_repository(): a small repository with a real bug, in which the demo works."""

import os
import shutil
import subprocess
from pathlib import Path

from desktop.domain.core.errors import GitError

GIT_TIME_LIMIT_S = 20.0
COMMIT_DATE = "2026-01-05T09:00:00+00:00"
AUTHOR_NAME = "Banksman Demo"
AUTHOR_EMAIL = "demo@banksman.invalid"

README = """\
# shop

A tiny shop: prices, a cart and its total. All amounts are integer cents.

    python3 -m unittest -q

runs the tests. One of them fails: customers with a discount code pay less than they should.
"""

PRICES = '''\
"""Prices and discounts. All amounts are integer cents."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """What one piece of an article costs."""

    article: str
    cents: int


PRICE_LIST = {
    "mug": Price("mug", 1250),
    "poster": Price("poster", 900),
    "sticker": Price("sticker", 199),
}


def discounted(cents: int, percent: int) -> int:
    """The amount less a discount, half cents rounded up."""
    if not 0 <= percent <= 100:
        raise ValueError(f"a discount of {percent} % is not possible")
    return (cents * (100 - percent) + 50) // 100
'''

CART = '''\
"""A shopping cart."""

from shop.prices import PRICE_LIST, discounted


class Cart:
    """Articles with quantities, and what they cost together."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}

    def add(self, article: str, quantity: int = 1) -> None:
        """Put more of an article into the cart."""
        if article not in PRICE_LIST:
            raise KeyError(f"no such article: {article}")
        if quantity < 1:
            raise ValueError("quantity must be at least 1")
        self._lines[article] = self._lines.get(article, 0) + quantity

    def subtotal(self, discount_percent: int = 0) -> int:
        """The sum of all lines in cents, each line less the discount."""
        return sum(
            discounted(PRICE_LIST[article].cents * quantity, discount_percent)
            for article, quantity in self._lines.items()
        )

    def total(self, discount_percent: int = 0, shipping_cents: int = 0) -> int:
        """What the customer pays: the lines less the discount, and shipping."""
        return discounted(self.subtotal(discount_percent), discount_percent) + shipping_cents
'''

TESTS = '''\
"""Tests of the cart."""

import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cart = Cart()
        self.cart.add("mug", 2)
        self.cart.add("poster")

    def test_total_without_discount(self) -> None:
        self.assertEqual(self.cart.total(), 3400)

    def test_total_with_discount(self) -> None:
        self.assertEqual(self.cart.total(discount_percent=10), 3060)

    def test_shipping_is_not_discounted(self) -> None:
        self.assertEqual(self.cart.total(discount_percent=50, shipping_cents=490), 2190)

    def test_unknown_article(self) -> None:
        with self.assertRaises(KeyError):
            self.cart.add("unicorn")


if __name__ == "__main__":
    unittest.main()
'''

SAMPLE_FILES: dict[str, str] = {
    "README.md": README,
    ".gitignore": "__pycache__/\n*.pyc\n",
    "shop/__init__.py": '"""A tiny shop."""\n',
    "shop/prices.py": PRICES,
    "shop/cart.py": CART,
    "tests/__init__.py": "",
    "tests/test_cart.py": TESTS,
}


def create_sample_repository(folder: Path) -> Path:
    """A repository on branch `main` with one commit, always the same one. A folder that is a repository is left alone.

    Blocks for about 50 ms. `total()` in `shop/cart.py` takes the discount twice; `python3 -m unittest -q` shows it.

    Raises:
        GitError: the folder holds other files, cannot be written, or git failed.
    """
    if (folder / ".git").exists():
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise GitError(f"Could not create the sample repository: {folder} is not empty. Choose another folder.")
        for name, text in SAMPLE_FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    except OSError as error:
        raise GitError(f"Could not create the sample repository in {folder}: {error.strerror}.") from error
    _git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    for name, value in (("user.name", AUTHOR_NAME), ("user.email", AUTHOR_EMAIL), ("core.autocrlf", "false")):
        _git(folder, "config", "--local", name, value)
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", "Add a tiny shop")
    return folder


def _git(folder: Path, *arguments: str) -> None:
    """Run git without the user's and the system's configuration, hooks or prompts."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    fixed = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_DATE": COMMIT_DATE,
        "GIT_COMMITTER_DATE": COMMIT_DATE,
    }
    command = ["git", "-c", f"core.hooksPath={os.devnull}", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command,
            env={**inherited, **fixed},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=GIT_TIME_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"Could not run git for the sample repository: {error}. Is git installed?") from error
    if done.returncode:
        words = done.stderr.strip()
        raise GitError(
            f"git {arguments[0]} failed for the sample repository: {words}", stderr=words, status=done.returncode
        )


def lend_python(programs: Path) -> None:
    """Where no Python is installed, `python3` is from now on the one in this folder, which runs the sample's tests."""
    if shutil.which("python3") is None:
        os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"


def sample_tests_pass(folder: Path) -> bool:
    """Whether the sample's own tests pass there, run as a person would: `python3 -m unittest -q`."""
    done = subprocess.run(["python3", "-m", "unittest", "-q"], cwd=folder, capture_output=True, timeout=60, check=False)
    return done.returncode == 0
