"""Opening a repository whose folder a person typed."""

import pytest

from desktop.domain.commands import OpenProject
from tests.agent.rig import Rig

pytestmark = pytest.mark.asyncio


async def test_the_home_of_nobody_is_refused_as_any_missing_folder(rig: Rig) -> None:
    await rig.engine.handle(OpenProject(path="~no-such-user/work"))
    (failed,) = rig.failures()
    assert failed.code == "not_a_folder"
    assert failed.text.endswith("work' is not a folder. Open a folder that holds a git repository.")
