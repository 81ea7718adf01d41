"""Providers & keys: the model services of the settings."""
