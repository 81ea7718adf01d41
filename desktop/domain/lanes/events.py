"""Events about lanes: what was begun with one, and what came of it. Those that no chat asked for are recorded in the
log of the project, a session of kind `project`."""

from typing import Literal

from pydantic import Field, JsonValue

from desktop.domain.core.event_base import By, EventBase


class LaneOperationStarted(EventBase):
    """Something is about to be done to a lane; on the disk before it begins. `operation`: create, delete, merge …"""

    type: Literal["lane_operation_started"] = "lane_operation_started"
    operation_id: str
    operation: str
    lane_id: str = ""
    by: By = "person"
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class LaneOperationFinished(EventBase):
    """An operation on a lane ended. `text`: a sentence; `result`: commits, refs and paths by which it can be found
    again."""

    type: Literal["lane_operation_finished"] = "lane_operation_finished"
    operation_id: str
    operation: str
    lane_id: str = ""
    status: Literal["done", "failed", "refused", "interrupted"] = "done"
    text: str = ""
    result: dict[str, JsonValue] = Field(default_factory=dict)
