"""How texts are cut into terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.text import SINGLE, chunks, clean, fold, normalise, terms_of


def terms(text: str, *, asking: bool = False) -> list[str]:
    return [term for chunk in chunks(text) for term in terms_of(chunk, asking=asking)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case", ["snake_case", "snake", "case"]),
        ("camelCase HTTPServer", ["camelcase", "camel", "case", "httpserver", "http", "server"]),
        ("src/app/main.py", ["src/app/main.py", "main.py", "src", "app", "main", "py"]),
        ("v2.1.3", ["v2.1.3", "2.1.3", "2", "1", "3"]),
        ("E1234", ["e1234", "1234"]),
        ("10,000 and 10000", ["10000", "and", "10000"]),
        ("1,234,567.89", ["1234567.89"]),
        ("3,5", ["3", "5"]),
        ("don't Anna's", ["dont", "anna"]),
        ("C++ and C#", ["c++", "and", "c#"]),
        ("Café ＦＵＬＬ ﬁle", ["cafe", "full", "file"]),
        ("user@example.org", ["user@example.org", "user", "example", "org"]),
        ("包", [SINGLE + "包"]),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("我们使用包管理器管理依赖", "包管理器"),
        ("パッケージマネージャーはpnpmです", "パッケージ"),
        ("패키지 매니저를 pnpm으로 바꿨다", "매니저"),
        ("ผู้จัดการแพ็กเกจ", "แพ็กเกจ"),
        ("使用pnpm，不要用npm", "pnpm"),
        ("Use pnpm.", "PNPM"),
    ],
)
def test_a_word_is_found_inside_a_sentence(stored, asked):
    assert set(terms(asked, asking=True)) <= set(terms(stored))


def test_one_character_questions_find_what_holds_the_character():
    assert set(terms("包", asking=True)) <= set(terms("软件包"))


@given(st.text())
def test_any_text_gives_terms_that_are_not_empty(text):
    assert all(term and term == fold(term) for term in terms(text))


@given(st.text(st.characters()))
def test_clean_text_can_be_stored(text):
    assert "\x00" not in clean(text)
    clean(text).encode("utf-8")


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize("text", ["a" * 10**6, "a_" * 500_000, "_" * 10**6, "1,234" * 200_000, "a'" * 500_000])
def test_megabytes_without_a_space_are_no_trap(text):
    sum(len(terms_of(chunk)) for chunk in chunks(text))
