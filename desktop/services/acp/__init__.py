"""The Agent Client Protocol: its wire, for both sides."""
