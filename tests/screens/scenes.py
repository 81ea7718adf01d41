"""All scenes, in the order in which they are taken."""

from tests.screens import audit_scenes as audit
from tests.screens import card_scenes as cards
from tests.screens import chat_scenes as chats
from tests.screens import compose_scenes as compose
from tests.screens import gate_scenes as gate
from tests.screens import sandbox_scenes as sandbox
from tests.screens import settings_scenes as settings
from tests.screens import window_scenes as windows
from tests.screens.scene import Scene

SCENES = (
    Scene(windows.welcome, project=False, key_needed=True),
    Scene(windows.welcome_no_key, key_needed=True),
    Scene(chats.chat_empty),
    Scene(chats.chat_as_in_the_mock),
    Scene(chats.transcript_all_row_kinds),
    Scene(chats.transcript_streaming_with_pill),
    Scene(chats.transcript_error_retry),
    Scene(cards.card_command, anew="theme"),
    Scene(cards.card_two_at_once),
    Scene(cards.card_command_long, anew="theme"),
    Scene(cards.card_git_settings),
    Scene(cards.card_write_diff),
    Scene(gate.gate_command, anew="theme"),
    Scene(gate.gate_warnings),
    Scene(gate.gate_rule, anew="theme"),
    Scene(gate.gate_edit, anew="theme"),
    Scene(gate.gate_edit_controls, anew="theme"),
    Scene(gate.gate_sql, anew="theme"),
    Scene(gate.gate_sql_irreversible, anew="theme"),
    Scene(gate.gate_files),
    Scene(gate.gate_three_cards),
    Scene(gate.gate_result_grid),
    Scene(cards.card_question, anew="theme"),
    Scene(cards.card_plan),
    Scene(chats.card_interrupted),
    Scene(windows.model_picker, anew="size"),
    Scene(audit.audit_tab),
    Scene(audit.audit_broken),
    Scene(audit.audit_review),
    Scene(sandbox.full_auto_none, anew="size"),
    Scene(sandbox.full_auto_limited, anew="size"),
    Scene(sandbox.header_chips),
    Scene(sandbox.probe_list, anew="size"),
    Scene(sandbox.taint_dialog, anew="size"),
    Scene(compose.slash_popup, anew="size"),
    Scene(compose.queue_three),
    Scene(compose.queue_paused),
    Scene(compose.attachments),
    Scene(compose.context_meter, anew="size"),
    Scene(compose.compaction_offer, anew="size"),
    Scene(compose.zoom_200_composer, sizes=((1024, 700),), zoom=200),
    Scene(windows.close_dialog, anew="size"),
    Scene(chats.full_auto_with_review_records),
    Scene(chats.changes_and_lists),
    Scene(windows.settings_pages, anew="size"),
    Scene(settings.settings_rules, anew="size"),
    Scene(settings.settings_rule_form, anew="size"),
    Scene(settings.settings_rule_edit, anew="size"),
    Scene(settings.settings_rules_trust, anew="size"),
    Scene(settings.settings_databases, anew="size", settings={"databases": settings.DATABASES}),
    Scene(windows.palette, anew="size"),
    Scene(windows.empty_states),
    Scene(chats.archived_chat),
    Scene(cards.zoom_200, zoom=200),
    Scene(windows.zoom_200_new_chat, zoom=200),
    Scene(cards.minimum_size, sizes=((640, 480),)),
    Scene(cards.minimum_size_zoom_200, sizes=((640, 480),), zoom=200),
    Scene(cards.hidden_characters),
    Scene(windows.overlay_inspector, sizes=((900, 700),)),
    Scene(chats.refusals),
)
