"""Banksman: a desktop app in which people supervise coding agents."""

__version__ = "0.1.0"
