"""Sub-agents: begun, limited, stopped, told of and found again after a crash. See README.md."""
