"""What takes an effect back: the steps of that, and what is recorded of it."""
