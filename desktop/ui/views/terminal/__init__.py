"""The terminals of a lane: a drawer with tabs, and the painted screen."""
