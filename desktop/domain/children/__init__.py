"""Sub-agents: chats that a call of another chat begins."""
