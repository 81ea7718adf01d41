"""The words for a list of todos."""

from desktop.domain.core.work import Todo

_MARKS = {"completed": "done", "in_progress": "in progress", "pending": "open"}


def todo_counts(todos: tuple[Todo, ...]) -> str:
    """`3 todos: 1 done, 1 in progress, 1 open`, without the kinds there are none of."""
    if not todos:
        return "No todos"
    counts = {word: sum(todo.status == status for todo in todos) for status, word in _MARKS.items()}
    parts = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return f"{len(todos)} todo{'' if len(todos) == 1 else 's'}: {parts}"


def todo_lines(todos: tuple[Todo, ...]) -> list[str]:
    """A numbered line for each, with its status."""
    return [f"{number}. [{_MARKS[todo.status]}] {todo.content}" for number, todo in enumerate(todos, 1)]
