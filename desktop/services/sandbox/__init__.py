"""Commands under guard: which tier works here, what a command may see and write, how it is started and watched."""
