"""Scenes of pictures in the texts of a request: one that was loaded, one that did not come, one that is offered."""

import io
from collections.abc import AsyncIterator

from PIL import Image, ImageDraw

from tests.fakes.picture_host import PictureHost
from tests.screens.pr_scenes import Forge
from tests.screens.stage import Stage

_ANSWER = {"Content-Type": "image/png"}


def _page() -> bytes:
    """A login page, roughly."""
    page = Image.new("RGB", (900, 380), (250, 250, 248))
    draw = ImageDraw.Draw(page)
    draw.rectangle((0, 0, 900, 56), fill=(34, 60, 92))
    draw.rounded_rectangle((270, 110, 630, 330), 14, fill=(255, 255, 255), outline=(200, 204, 210), width=2)
    for top, ground in ((146, (238, 240, 244)), (200, (238, 240, 244)), (262, (38, 108, 196))):
        draw.rounded_rectangle((304, top, 596, top + 40), 6, fill=ground)
    out = io.BytesIO()
    page.save(out, "PNG")
    return out.getvalue()


async def pr_pictures(stage: Stage) -> AsyncIterator[str]:
    """83"""
    host = PictureHost({"/after.png": (200, _ANSWER, _page())})
    forge = Forge(stage)
    await forge.sign_in()
    await forge.work()
    pull = forge.open()
    root = host.root
    pull.change(
        body="The login page no longer leads to itself.\n\n"
        f"![The page after it]({root}/after.png)\n\n![The page before it]({root}/before.png)\n\n"
        f'<img width="900" alt="pasted" src="{root}/pasted.png" />\n'
    )
    forge.repo.collaborator("mona")
    pull.comment(f"Here it looks like this:\n\n![On my machine]({root}/after.png)", by="mona")
    panel = await forge.shown(lambda found: len(found.known) == 7)
    yield "83-pr-pictures-offered"
    for number in (0, 1):
        await stage.click(f"pr_picture_{number}")
    pictures = panel.shown.pictures
    await stage.until(lambda: pictures.stand(f"{root}/after.png").state == "shown", "the picture")
    await stage.until(lambda: pictures.stand(f"{root}/before.png").state == "failed", "the other one")
    await stage.rest(0.3)
    yield "83-pr-pictures"
    panel.show_page("comments")
    await stage.rest(0.3)
    yield "83-pr-pictures-comment"
    panel.show_page("issues")
    await stage.until(lambda: stage.shown("issue_detail"), "the issue")
    await stage.rest(0.3)
    yield "83-pr-pictures-issue"
    host.end()
    forge.close()
