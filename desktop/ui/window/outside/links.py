"""Shows what a `banksman://` link leads to, and says where it leads nowhere. It decides, sends and changes nothing."""

from desktop.config.links import REFUSED, Link, parse_link
from desktop.ui.window.main_window import MainWindow


def follow_link(window: MainWindow, text: str) -> None:
    """Bring what the link names into view in this window, whose chats are known."""
    link = parse_link(text)
    if link is None or not _follow(window, link):
        window.notes.say(REFUSED, error=True)


def _follow(window: MainWindow, link: Link) -> bool:
    if link.kind in ("chat", "card"):
        if window.book.summary(link.id) is None:
            return False
        if window.page.session_id != link.id:
            window.open_chat(link.id)
        if link.kind == "card":
            window.page.tray.focus_card()
        return True
    if not any(lane.id == link.id for lane in window.book.lanes):
        return False
    if link.kind == "pull":
        window.pulls.show_pull(link.id)
    else:
        window.lane_host.show_lane(link.id)
    return True
