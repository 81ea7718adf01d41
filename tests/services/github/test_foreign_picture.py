"""Pictures of foreign texts are fetched as nobody, over https, and only if they are pictures."""

from collections.abc import Iterator

import pytest

from desktop.domain.github.values import GitHubError
from desktop.services.github.foreign_picture import MAX_BYTES, fetch_picture
from tests.fakes.picture_host import PictureHost

pytestmark = pytest.mark.asyncio
GIF = b"GIF89a\x01\x00\x01\x00" + bytes(20)


@pytest.fixture
def host() -> Iterator[PictureHost]:
    made = PictureHost({})
    yield made
    made.end()


async def problem_of(address: str) -> str:
    with pytest.raises(GitHubError) as caught:
        await fetch_picture(address, plain_on_loopback=True)
    return str(caught.value)


@pytest.mark.promise("lanes-G24")
async def test_a_picture_is_fetched_without_a_name_also_where_the_host_hands_out_cookies(host: PictureHost) -> None:
    host.answers["/a.gif"] = (302, {"Location": "/b.gif", "Set-Cookie": "id=7; Path=/"}, b"")
    host.answers["/b.gif"] = (200, {"Content-Type": "text/plain"}, GIF)
    assert await fetch_picture(f"{host.root}/a.gif", plain_on_loopback=True) == GIF
    assert [path for path, _ in host.asked] == ["/a.gif", "/b.gif"]
    for _, headers in host.asked:
        assert headers.keys() == {"host", "accept", "accept-encoding", "connection", "user-agent"}


async def test_what_is_no_picture_too_large_or_not_for_everybody_is_told(host: PictureHost) -> None:
    host.answers["/page"] = (200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>")
    host.answers["/x.svg"] = (200, {"Content-Type": "image/svg+xml"}, b"<svg/>")
    host.answers["/large"] = (200, {}, GIF + bytes(MAX_BYTES))
    host.answers["/round"] = (301, {"Location": "/round"}, b"")
    host.answers["/away"] = (302, {"Location": "http://pictures.example.org/a.png"}, b"")
    host.answers["/file"] = (302, {"Location": "file:///etc/passwd"}, b"")
    at = host.root.removeprefix("http://")
    shown = "Shown are PNG, JPEG, WebP and GIF."
    assert await problem_of(f"{host.root}/page") == f"{at} sent no picture that is shown here, but text/html. {shown}"
    assert await problem_of(f"{host.root}/x.svg") == (
        f"{at} sent no picture that is shown here, but image/svg+xml. {shown}"
    )
    assert await problem_of(f"{host.root}/large") == f"The answer of {at} is larger than 20 MiB."
    assert await problem_of(f"{host.root}/gone") == (
        f"{at} shows no picture there to somebody who is not signed in (status 404)."
    )
    assert await problem_of(f"{host.root}/round") == f"{at} sends this request in a circle."
    assert len([path for path, _ in host.asked if path == "/round"]) == 6
    assert "pictures.example.org would be asked without https" in await problem_of(f"{host.root}/away")
    assert await problem_of(f"{host.root}/file") == "This is no address of a picture."


async def test_nobody_is_asked_without_https_or_under_a_name(host: PictureHost) -> None:
    with pytest.raises(GitHubError, match="without https"):
        await fetch_picture(f"{host.root}/a.gif")
    assert "names a user" in await problem_of(f"{host.root.replace('//', '//octo:secret@')}/a.gif")
    assert await problem_of("https://[broken/a.png") == "This is no address of a picture."
    assert host.asked == []
