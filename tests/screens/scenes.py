"""All scenes, in the order in which they are taken."""

from desktop.config.web import WebSettings
from tests.screens import audit_scenes as audit
from tests.screens import board_scenes as boards
from tests.screens import boundary_scenes as boundaries
from tests.screens import card_scenes as cards
from tests.screens import chat_scenes as chats
from tests.screens import child_scenes, compared_scenes, inbox_scenes, mcp_asking_scenes, mcp_sign_in_scenes
from tests.screens import compose_scenes as compose
from tests.screens import credential_scenes as credentials
from tests.screens import gate_scenes as gate
from tests.screens import github_scenes as github
from tests.screens import guest_scenes as guests
from tests.screens import history_scenes as history
from tests.screens import hook_scenes as hooks
from tests.screens import lane_begin_scenes as begins
from tests.screens import lane_care_scenes as care
from tests.screens import lane_end_scenes as ends
from tests.screens import lane_row_scenes as lane_row
from tests.screens import lane_work_scenes as work
from tests.screens import mcp_call_scenes as mcp_calls
from tests.screens import mcp_scenes as mcp
from tests.screens import memory_scenes as memories
from tests.screens import mention_scenes as mentions
from tests.screens import pr_picture_scenes as pictures
from tests.screens import pr_scenes as pulls
from tests.screens import proof_scenes as proofs
from tests.screens import report_scenes as reports
from tests.screens import resolution_scenes as rounds
from tests.screens import review_scenes as review
from tests.screens import sandbox_scenes as sandbox
from tests.screens import script_scenes as scripts
from tests.screens import settings_scenes as settings
from tests.screens import skill_scenes as skills
from tests.screens import strip_scenes as strips
from tests.screens import terminal_scenes as terminals
from tests.screens import web_scenes as web
from tests.screens import window_scenes as windows
from tests.screens.scene import Scene

_WEB = {"web": WebSettings(enabled=True, private_hosts=("127.0.0.1",))}
_AT_VENDOR = {"web": WebSettings(enabled=True, vendor_search="always"), "endpoint": {"kind": "anthropic"}}
_BASH = {"shell": "/bin/bash"}
SCENES = (
    Scene(windows.welcome, project=False, key_needed=True),
    Scene(windows.welcome_no_key, key_needed=True),
    Scene(windows.service_form, anew="size"),
    Scene(windows.composer_blocked, key_needed=True),
    Scene(chats.chat_empty),
    Scene(chats.chat_as_in_the_mock),
    Scene(chats.transcript_all_row_kinds),
    Scene(chats.transcript_streaming_with_pill),
    Scene(chats.transcript_error_retry),
    Scene(cards.card_command, anew="theme"),
    Scene(cards.card_pressed_too_soon, anew="size"),
    Scene(cards.card_two_at_once),
    Scene(cards.card_command_long, anew="theme"),
    Scene(cards.card_git_settings),
    Scene(cards.card_write_diff),
    Scene(gate.gate_command, anew="theme"),
    Scene(gate.gate_network),
    Scene(gate.gate_warnings),
    Scene(gate.gate_rule, anew="theme"),
    Scene(gate.gate_edit, anew="theme"),
    Scene(gate.gate_edit_controls, anew="theme"),
    Scene(gate.gate_sql, anew="theme"),
    Scene(gate.gate_sql_irreversible, anew="theme"),
    Scene(gate.gate_try, anew="theme"),
    Scene(gate.gate_files),
    Scene(gate.gate_three_cards),
    Scene(gate.gate_result_grid),
    Scene(cards.card_question, anew="theme"),
    Scene(cards.card_plan),
    Scene(chats.card_interrupted),
    Scene(inbox_scenes.sidebar_ten),
    Scene(inbox_scenes.inbox, anew="size"),
    Scene(inbox_scenes.inbox_answered, anew="size"),
    Scene(inbox_scenes.inbox_ends, sizes=((1360, 840),), anew="theme"),
    Scene(windows.model_picker, anew="size"),
    Scene(audit.audit_tab),
    Scene(audit.audit_broken),
    Scene(audit.audit_hosts),
    Scene(audit.audit_review),
    Scene(sandbox.full_auto_none, anew="size"),
    Scene(sandbox.full_auto_limited, anew="size"),
    Scene(sandbox.header_chips),
    Scene(sandbox.probe_list, anew="size"),
    Scene(sandbox.taint_dialog, anew="size"),
    Scene(guests.agent_chosen, anew="size"),
    Scene(guests.agent_at_work, anew="theme"),
    Scene(guests.agent_unreported, anew="theme"),
    Scene(guests.agent_kept, anew="size"),
    Scene(guests.agent_stopped),
    Scene(guests.agent_signed_out),
    Scene(guests.agent_missing),
    Scene(guests.agent_successor, anew="size"),
    Scene(guests.settings_agents, anew="size"),
    Scene(guests.agent_ways, anew="size"),
    Scene(guests.welcome_agent, key_needed=True),
    Scene(memories.memory),
    Scene(memories.memory_review),
    Scene(memories.memory_import),
    Scene(child_scenes.children),
    Scene(child_scenes.many_children),
    Scene(child_scenes.children_apart),
    Scene(reports.report_proved),
    Scene(reports.report_not_proved),
    Scene(reports.report_partial_and_blocked),
    Scene(mentions.mention_list),
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
    Scene(windows.settings_search, anew="size"),
    Scene(settings.settings_rules, anew="size"),
    Scene(settings.settings_rule_form, anew="size"),
    Scene(settings.settings_rule_edit, anew="size"),
    Scene(settings.settings_rules_trust, anew="size"),
    Scene(github.settings_github, anew="size", settings={"github": github.HOSTS}),
    Scene(settings.settings_databases, anew="size", settings={"databases": settings.DATABASES}),
    Scene(mcp_sign_in_scenes.mcp_sign_in, anew="size"),
    Scene(mcp_sign_in_scenes.mcp_prompt, anew="size"),
    Scene(skills.settings_skills),
    Scene(skills.skill_card, anew="theme"),
    Scene(mcp.settings_mcp, anew="size"),
    Scene(mcp.settings_mcp_changed, anew="size"),
    Scene(mcp.header_mcp),
    Scene(hooks.hooks, anew="size"),
    Scene(windows.palette, anew="size"),
    Scene(windows.help_promises, anew="size"),
    Scene(windows.help_pages, anew="size"),
    Scene(windows.empty_states),
    Scene(chats.archived_chat),
    Scene(cards.zoom_200, zoom=200),
    Scene(windows.zoom_200_new_chat, zoom=200),
    Scene(cards.minimum_size, sizes=((640, 480),)),
    Scene(cards.minimum_size_zoom_200, sizes=((640, 480),), zoom=200),
    Scene(cards.hidden_characters),
    Scene(scripts.scripts_transcript),
    Scene(scripts.scripts_planted),
    Scene(scripts.scripts_question),
    Scene(strips.store_strip, anew="size"),
    Scene(strips.record_strip, anew="size"),
    Scene(strips.settings_limits, anew="size"),
    Scene(strips.instruction_files, anew="size"),
    Scene(windows.overlay_inspector, sizes=((900, 700),)),
    Scene(chats.refusals),
    Scene(history.history_rewind, anew="size"),
    Scene(history.history_edit_and_remove),
    Scene(history.history_limit, settings={"limits": {"steps": 2}}),
    Scene(history.history_after_a_crash),
    Scene(history.history_summary),
    Scene(history.history_timeline, anew="size"),
    Scene(history.history_ledger, anew="size"),
    Scene(boards.board),
    Scene(windows.panes),
    Scene(windows.looks, anew="theme"),
    Scene(compared_scenes.compared, anew="theme"),
    Scene(history.handover, anew="size"),
    Scene(history.history_find),
    Scene(begins.lane_new, anew="size"),
    Scene(begins.lane_new_refused, anew="size"),
    Scene(begins.lane_import, anew="size"),
    Scene(begins.lane_edit, anew="size"),
    Scene(begins.lane_models, anew="size"),
    Scene(begins.lane_place, anew="size"),
    Scene(care.lane_setup, anew="size"),
    Scene(care.lane_trust, anew="size"),
    Scene(care.lane_run, anew="size"),
    Scene(care.lane_free_space, anew="size"),
    Scene(ends.lane_delete, anew="size"),
    Scene(ends.lane_delete_several, anew="size"),
    Scene(ends.lane_broken),
    Scene(lane_row.lane_rows, anew="size"),
    Scene(work.lane_merge, anew="size"),
    Scene(work.lane_merge_conflict, anew="size"),
    Scene(work.lane_stack_run, anew="size"),
    Scene(work.lane_conflicts, anew="size"),
    Scene(work.lane_in_checkout, anew="size"),
    Scene(work.lane_parent, anew="size"),
    Scene(pulls.pr_pages),
    Scene(pictures.pr_pictures),
    Scene(pulls.pr_states),
    Scene(pulls.pr_create, anew="size"),
    Scene(pulls.pr_merge, anew="size"),
    Scene(pulls.pr_list, anew="size"),
    Scene(rounds.issues, anew="size"),
    Scene(rounds.resolve, anew="size"),
    Scene(rounds.resolve_refused, anew="size"),
    Scene(rounds.issues_nothing),
    Scene(review.review_comments, anew="size"),
    Scene(review.review_large, anew="size"),
    Scene(review.review_commit),
    Scene(review.review_states),
    Scene(review.review_nothing),
    Scene(proofs.proofs_grid),
    Scene(proofs.proofs_viewer, anew="size"),
    Scene(proofs.proofs_compare, anew="size"),
    Scene(proofs.proofs_publish, anew="size"),
    Scene(proofs.proofs_by_agent, anew="size"),
    Scene(proofs.proofs_states, anew="size"),
    Scene(proofs.proofs_no_browser, settings={"browser": "/nowhere/browser"}),
    Scene(proofs.picture_card, anew="theme"),
    Scene(credentials.credential_card, anew="theme"),
    Scene(credentials.skill_secret),
    Scene(mcp_calls.mcp_call_card, anew="size"),
    Scene(mcp_calls.mcp_sql_card, anew="size"),
    Scene(mcp_asking_scenes.mcp_asks, anew="size"),
    Scene(mcp_asking_scenes.mcp_samples, anew="size"),
    Scene(mcp_asking_scenes.mcp_import, anew="size"),
    Scene(web.web_card, anew="theme", settings=_WEB),
    Scene(web.web_card_flags, anew="theme", settings=_WEB),
    Scene(web.web_page_read, settings=_WEB),
    Scene(web.vendor_searched, settings=_AT_VENDOR),
    Scene(web.settings_web, anew="size", settings=_WEB),
    Scene(credentials.pasted_secret, anew="size"),
    Scene(boundaries.boundary_chips, anew="theme"),
    Scene(terminals.terminal_shell, settings=_BASH),
    Scene(terminals.terminal_full_screen, settings=_BASH),
    Scene(terminals.terminal_states, anew="size", settings=_BASH),
    Scene(terminals.terminal_leftovers, anew="size", settings=_BASH),
    Scene(terminals.terminal_paste, anew="size", settings=_BASH),
    Scene(terminals.terminal_close, anew="size", settings=_BASH),
)
