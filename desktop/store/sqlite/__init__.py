"""The store's SQLite file: its connections, its migrations, and reading it when it is damaged."""
