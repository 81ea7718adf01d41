"""A chat whose record was changed outside of the program: it opens, and it is said once."""

import sqlite3
from contextlib import closing

import pytest

from desktop.domain import commands as c
from desktop.domain.updates import SessionOpened
from desktop.store.database import DATABASE_NAME
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import text_turn

pytestmark = pytest.mark.asyncio


async def reopened(folders, repository, model_api, sql=""):
    model_api.script(text_turn("fine"))
    first = await Rig(folders).open(repository)
    session_id = await first.new("hello")
    await first.ended()
    await first.engine.stop()
    if sql:
        with closing(sqlite3.connect(folders.store / DATABASE_NAME)) as connection:
            connection.execute("DROP TRIGGER event_is_never_changed")
            connection.execute(sql)
            connection.commit()
    second = await Rig(folders).open(repository)
    for _ in range(2):
        await second.engine.handle(c.OpenSession(session_id=session_id))
    await second.engine.stop()
    assert any(isinstance(update, SessionOpened) for update in second.updates)
    return [failed for failed in second.failures() if failed.code == "chain"]


@pytest.mark.promise("sessions-ST15")
async def test_changed_entry_is_said_once_and_the_chat_opens(folders, repository, model_api):
    change = "UPDATE event SET body = replace(body, 'hello', 'hullo') WHERE type = 'user_message'"
    (failed,) = await reopened(folders, repository, model_api, change)
    assert "was changed outside Banksman (entry " in failed.text


async def test_whole_record_is_not_mentioned(folders, repository, model_api):
    assert await reopened(folders, repository, model_api) == []
