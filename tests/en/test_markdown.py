from __future__ import annotations

import pytest
from english_texts.markdown import clean_inline, is_readable, read_markdown, read_title

PAGE = """---
title: "Valencian Paella"
date: 2025-03-15
---

# Paella

![Picture](/pix/paella.webp)

**Paella** is a dish of the [Valencia](https://a.org/b_(c)) region,
and it is cooked over a fire.

{{< image src="x" >}}

| a | b |
|---|---|

1. Heat the *olive oil* in a pan.
2. Salt

```
rm -rf .
```

> It is done -- at last!
"""


def test_a_page_is_read_by_paragraphs_and_items():
    assert list(read_markdown(PAGE)) == [
        "Paella is a dish of the Valencia region, and it is cooked over a fire.",
        "Heat the olive oil in a pan.",
        "It is done — at last!",
    ]


def test_a_title_is_that_of_the_front_matter_or_the_first_heading():
    assert read_title(PAGE) == "Valencian Paella"
    assert read_title("# Feelings\n\n## One\n") == "Feelings"
    assert read_title("No heading.") == ""


def test_marks_inside_of_lines_are_left_out():
    text = "_See_ ***this*** `code`, [a][1] <b>bold</b> \\[sic\\] at www.b.org now."
    assert clean_inline(text) == "See this, a bold [sic] at now."
    assert clean_inline("a snake_case_name stays") == "a snake_case_name stays"


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("Put it on the table.", True),
        ("Salt and pepper", False),
        ("Do it.", False),
        ("The price is {price} for this.", False),
        ("12 / 13 : 14 - 15 : 16.", False),
    ],
)
def test_what_is_readable(text, readable):
    assert is_readable(text) is readable
