"""Which pictures a foreign text names, and which of them could be loaded."""

from desktop.domain.display.foreign_pictures import MOST_PICTURES, named_pictures

TEXT = """![before](https://e.org/a.png) and ![again](https://e.org/a.png) ![x](file:///etc/passwd) ![m](mailto:a@e.org)

<img width="12" alt="pasted" src="https://e.org/user-attachments/1-2_3" /> <IMG SRC=http://e.org/q.png>
<img src="javascript:alert(1)"> <img alt="none"> `<img src="https://no.org/a.png">`

```
<img src="https://no.org/b.png">
```

| a |
|---|
| <img src="https://e.org/t.png"> |
"""


def test_pictures_are_those_of_markdown_and_of_tags_that_are_no_code_once_each() -> None:
    assert [(one.text, one.href) for one in named_pictures(TEXT)] == [
        ("before", "https://e.org/a.png"), ("pasted", "https://e.org/user-attachments/1-2_3"),
        ("", "http://e.org/q.png"), ("", "https://e.org/t.png"),
    ]  # fmt: skip


def test_a_text_without_pictures_names_none_and_one_with_many_a_few() -> None:
    assert named_pictures("See [this](https://e.org/a.png).") == ()
    many = "\n".join(f"![{number}](https://e.org/{number}.png)" for number in range(50))
    assert len(named_pictures(many)) == MOST_PICTURES
