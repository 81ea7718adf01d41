"""Agents of others that speak the Agent Client Protocol: found, and started in the sandbox."""
