"""What reaches the windows from outside: a second start, links, a polite end, and errors that nobody caught."""
