"""The repository that every scene works in, and texts that several scenes use."""

from pathlib import Path

from tests.agent.rig import git, make_repository

MIDDLEWARE = '''"""Sends people who are not signed in to the login page."""

from auth.cookies import COOKIE, delete_cookie
from auth.pages import login, redirect


def current(request):
    """The session of a request, or None."""
    return request.cookies.get(COOKIE)


def expire(request, response):
    """Forget an expired session and ask for a new login."""
    if current(request) is None:
        return response
    delete_cookie(response, COOKIE)
    target = request.url
    return redirect(login(target))
'''
OLD = "    target = request.url\n    return redirect(login(target))\n"
NEW = (
    "    target = strip_next(request.url)\n    if target == login():\n        return response\n"
    "    return redirect(login(target))\n"
)
TEST = '''"""Tests of the login."""

import unittest


class LoginTest(unittest.TestCase):
    def test_an_expired_session_leads_to_the_login_page_once(self):
        self.assertTrue(True)
'''
COOKIES = (
    '"""Cookies."""\n\nCOOKIE = "session"\n\n\n'
    "def delete_cookie(response, name):\n    response.cookies.pop(name, None)\n"
)
PAGES = (
    '"""Pages."""\n\nfrom urllib.parse import quote\n\n\ndef login(next=None):\n'
    '    return "/login" if next is None else f"/login?next={quote(next)}"\n\n\n'
    'def redirect(target):\n    return {"status": 302, "location": target}\n'
)
CHANGES = "# Changes\n\n- Sessions end after 7 days.\n- The cart rounds prices.\n\nOld notes.\nMore old notes.\n"
RETRY = '"""Retries."""\n\n\nLIMIT = 5\nWAIT_S = (1, 2, 4, 8)\n'
FILES = {
    "auth/__init__.py": "", "auth/middleware.py": MIDDLEWARE, "auth/cookies.py": COOKIES, "auth/pages.py": PAGES,
    "docs/changes.md": CHANGES, "shop/__init__.py": "", "shop/retry.py": RETRY, "tests/__init__.py": "",
    "tests/test_timer.py": TEST,
    ".gitignore": "__pycache__/\n",
    "README.md": "# Shop\n\nAn API for a small shop.\n", "pyproject.toml": "[project]\n",
}  # fmt: skip
TASK = "Fix login redirect loop. The login page redirects forever after the session expires. Find out why and fix it."


def make_shop(home: Path) -> Path:
    """The repository `work/shop-api` below a home folder."""
    repository = make_repository(home / "work" / "shop-api", FILES)
    git(repository, "config", "user.name", "Robin")
    git(repository, "config", "user.email", "robin@example.org")
    return repository
