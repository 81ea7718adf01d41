"""The installers, step by step; `packaging/build.py` runs the steps."""
