"""Extraction by rule: what becomes a memory and what does not. The sentences are in `cases/`, a file per language."""

import time
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.domain.ids import message_id
from agentmem.domain.memories import Candidate, MemoryKind
from agentmem.domain.messages import Message, MessageKind, Role, Trust
from agentmem.ingest.extract import extract

AT = datetime(2026, 5, 6, 12, tzinfo=UTC)  # a Wednesday
CASES = {
    language: tomllib.loads((Path(__file__).parent / "cases" / f"{language}.toml").read_text(encoding="utf-8"))
    for language in ("en", "zh", "ja", "ko")
}


def said(*texts: str, role: Role = Role.USER, at: datetime | None = AT, **fields: object) -> list[Message]:
    return [Message(session_id="s", role=role, content=text, at=at, **fields) for text in texts]  # type: ignore[arg-type]


# A task is over after two weeks, or after its due date.
def test_a_task_expires() -> None:
    assert only("TODO: write docs for the API").expires_at == AT + timedelta(days=14)
    assert only("Remind me to renew the certificate on July 1.").expires_at == datetime(2026, 7, 2, tzinfo=UTC)


def only(*texts: str, role: Role = Role.USER, at: datetime | None = AT) -> Candidate:
    found = extract(said(*texts, role=role, at=at))
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "key", "words"),
    [pytest.param(*row, id=f"{language}: {row[0]}") for language, cases in CASES.items() for row in cases["said"]],
)
def test_a_statement_becomes_a_memory(text: str, kind: str, key: str, words: str) -> None:
    """Each statement gives a candidate of that kind and key, whose content and quote say it."""
    found = extract(said(text))
    fitting = [c for c in found if c.kind == kind and c.topic_key == (key or None)]
    assert fitting, found
    assert words.lower() in fitting[0].content.lower()
    assert fitting[0].quote in text
    assert 3 <= len(fitting[0].search_queries) <= 5
    assert all(query and "{" not in query for query in fitting[0].search_queries)


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=f"{language}: {text}") for language, c in CASES.items() for text in c["silent"]]
)
def test_everything_else_becomes_nothing(text: str) -> None:
    """Questions, suppositions, quotations, code, logs and requests for the moment leave no memory."""
    assert extract(said(text)) == []


def test_enough_cases_in_every_language() -> None:
    """At least 40 of each sort in English and Chinese, 25 in Japanese and Korean."""
    for language, least in {"en": 40, "zh": 40, "ja": 25, "ko": 25}.items():
        assert len(CASES[language]["said"]) >= least
        assert len(CASES[language]["silent"]) >= least


# ---- keys and chains ----------------------------------------------------------------------------------------------


def test_a_correction_has_the_key_of_what_it_corrects() -> None:
    """npm, then pnpm, then bun: three values of one topic, newest last."""
    found = extract(said("Use npm for installs.", "Actually, use pnpm, not npm.", "switch to bun"))
    assert [c.topic_key for c in found] == ["project.package_manager"] * 3
    assert [c.content for c in found] == [
        "Package manager: npm",
        "Package manager: pnpm (not npm)",
        "Package manager: bun",
    ]


@pytest.mark.parametrize(
    ("texts", "keys"),
    [
        (("Use bun as the runtime.",), ["project.runtime"]),
        (("We use Bun.",), ["project.package_manager"]),
        (("The bundler is esbuild.", "switch to bun"), ["project.bundler", "project.bundler"]),
        (("Use uv, not pip.", "Use pnpm, not npm."), ["project.python_package_manager", "project.package_manager"]),
        (("Use Postgres.", "Use SQLite for tests."), ["project.database", "tests.database"]),
        (
            ("The API rate limit is 100 req/s.", "The rate limit is now 200 req/s."),
            ["api.rate_limit", "api.rate_limit"],
        ),
        (("The staging DB runs on port 5433.", "The port is now 5434."), ["staging_database.port"] * 2),
    ],
)
def test_context_decides_the_key(texts: tuple[str, ...], keys: list[str]) -> None:
    """A member of several topics, and an attribute without entity, are read in the light of what was said."""
    assert [c.topic_key for c in extract(said(*texts))] == keys


def test_a_prohibition_alone_supersedes_nothing() -> None:
    """ "Don't use npm" is an instruction without key: it must not replace "use pnpm"."""
    found = extract(said("Use pnpm.", "Don't use npm."))
    assert [(c.kind, c.topic_key) for c in found] == [
        (MemoryKind.INSTRUCTION, "project.package_manager"),
        (MemoryKind.INSTRUCTION, None),
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ("I'm building a React + TypeScript dashboard.", "Use pnpm, not npm. And dark mode by default.",
         "API rate limit was increased to 10,000 req/s per zone after the April 10 incident."),
        ("我在做一个 React + TypeScript 仪表盘。", "用 pnpm，不要用 npm。默认深色模式。",
         "4月10日事故后，API 速率限制提高到每个 zone 10,000 req/s。"),
        ("我正在做一個 React + TypeScript 儀表板。", "用 pnpm，不要用 npm。預設深色模式。",
         "4月10日事故後，API 速率限制提高到每個 zone 10,000 req/s。"),
        ("React + TypeScript のダッシュボードを作っています。", "npm ではなく pnpm を使って。デフォルトはダークモードで。",
         "4月10日の障害後、APIのレート制限はゾーンあたり 10,000 req/s に引き上げられた。"),
        ("React + TypeScript 대시보드를 만들고 있어.", "npm 말고 pnpm을 써. 그리고 기본은 다크 모드로.",
         "4월 10일 장애 이후 API 속도 제한이 zone당 10,000 req/s로 올라갔다."),
    ],
)  # fmt: skip
def test_the_example_session(texts: tuple[str, ...]) -> None:
    """The session of the README, in each language: four memories with the same keys."""
    found = extract(said(*texts))
    assert [c.topic_key for c in found] == [None, "project.package_manager", "user.theme", "api.rate_limit"]
    assert "React + TypeScript" in found[0].content
    assert "pnpm" in found[1].content
    assert "10,000 req/s" in found[3].content
    assert found[3].occurred_at == datetime(2026, 4, 10, tzinfo=UTC)


def test_traditional_readers_get_their_own_label() -> None:
    """The label follows the script of the message."""
    assert "套件管理器：pnpm" in extract(said("請用 pnpm，不要用 npm。"))[0].content
    assert "包管理器：pnpm" in extract(said("请用 pnpm，不要用 npm。"))[0].content


# ---- who said it, and when ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [MessageKind.TOOL_CALL, MessageKind.TOOL_RESULT, MessageKind.SUMMARY])
def test_only_text_is_read(kind: MessageKind) -> None:
    """Calls, results and summaries give nothing, whoever their role."""
    assert extract(said("Use pnpm, not npm.", kind=kind)) == []


@pytest.mark.parametrize("role", [Role.TOOL, Role.SYSTEM])
def test_tools_and_system_give_nothing(role: Role) -> None:
    """What a tool prints or a host injects is no memory."""
    assert extract(said("Always use pnpm, not npm.", role=role)) == []


@pytest.mark.parametrize(
    "text", ["Use pnpm, not npm.", "Always run the tests.", "TODO: write docs", "I prefer tabs.", "My name is Claude."]
)
def test_an_agent_gives_no_orders(text: str) -> None:
    """Preferences, instructions, tasks and profiles come from people only."""
    assert extract(said(text, role=Role.ASSISTANT)) == []


def test_an_agents_decision_counts_less() -> None:
    """A decision that the agent reports has medium trust and lower importance than a person's."""
    agent = only("I've switched the project from npm to pnpm.", role=Role.ASSISTANT)
    person = only("I've switched the project from npm to pnpm.")
    assert agent.topic_key == person.topic_key == "project.package_manager"
    assert (agent.trust, person.trust) == (Trust.MEDIUM, Trust.HIGH)
    assert agent.importance < person.importance


def test_where_it_comes_from() -> None:
    """A candidate names its message, the time it was said and what proposed it."""
    message = said("Use pnpm, not npm.")[0]
    candidate = only("Use pnpm, not npm.")
    assert candidate.message_id == message_id("s", "user", message.content)
    assert candidate.said_at == AT
    assert candidate.session_id == "s"
    assert candidate.extractor.startswith("rules/")


def test_relative_dates_need_a_timestamp() -> None:
    """ "Last Friday" is resolved from the message's time; without one only a date with its year counts."""
    assert only("Deployed v2.3 last Friday.").occurred_at == datetime(2026, 5, 1, tzinfo=UTC)
    assert extract(said("Deployed v2.3 last Friday.", at=None)) == []
    assert extract(said("On April 10 we had an outage.", at=None)) == []
    assert only("On April 10, 2025 we had an outage.", at=None).occurred_at == datetime(2025, 4, 10, tzinfo=UTC)


def test_a_speaker_is_named() -> None:
    """In a chat of named people a memory tells whose it is, in words and in its key."""
    (found,) = extract(said("I live in Lisbon.", speaker="Ada"))
    assert found.content.startswith("Ada: ")
    assert found.topic_key == "ada.location"


# ---- shape of a message ---------------------------------------------------------------------------------------------


def test_a_long_paste_is_read_at_its_edges() -> None:
    """Of a long message only the human lines at both ends count."""
    paste = "\n".join(f"Line {n}: always use tabs, never spaces, in section {n}." for n in range(60))
    found = extract(said(f"Use pnpm, not npm.\n\n{paste}\n\nWe use Postgres here."))
    keys = [c.topic_key for c in found]
    assert {"project.package_manager", "project.database"} <= set(keys)
    assert len(found) < 12


def test_prose_around_code_counts() -> None:
    """A fenced block is skipped, what is said around it is not."""
    found = extract(said("Use pnpm, not npm:\n```\nuse yarn, not bun\n```\nWe use Postgres."))
    assert [c.topic_key for c in found] == ["project.package_manager", "project.database"]


def test_a_huge_message_is_cheap() -> None:
    """1 MB takes less than a second, whatever it holds."""
    for text in ("use pnpm not npm " * 60_000, "a" * 1_000_000, "用" * 500_000, "Use pnpm.\n" * 100_000, "(" * 1_000_000,
                 "is the " * 150_000 + "\n", "から" * 300_000, '"' * 500_000, "```\n" * 250_000):  # fmt: skip
        start = time.process_time()
        extract(said(text))
        assert time.process_time() - start < 1.0


# ---- for every text -------------------------------------------------------------------------------------------------

PIECES = """
use pnpm not npm always never don't we decided to switched from the API rate limit is now 10,000 port 5433 dark mode by default
if ? . , ! ``` " ' ( ) yesterday TODO: 用 不要 默认 深色模式 速率限制 是 を使って ではなく デフォルト 말고 써 기본 다크 모드
ＡＰＩ “ ” 「 」 İ ß
"""
WORDS = st.sampled_from([*PIECES.split(), "\n", "\u3000"])
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=30).map(" ".join), st.lists(WORDS, max_size=30).map("".join))


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(TEXTS, st.sampled_from(list(Role))), max_size=4))
def test_every_text_is_safe(texts: list[tuple[str, Role]]) -> None:
    """Never an error; every quote a slice of its message; the same in, the same out; no two of a message alike."""
    messages = [Message(session_id="s", role=role, content=text, at=AT) for text, role in texts]
    found = extract(messages)
    contents = {message_id("s", m.role, m.content): m.content for m in messages}
    for candidate in found:
        assert candidate.quote.strip()
        assert candidate.quote in contents[candidate.message_id]
        assert candidate.content.strip()
        assert 0 <= candidate.importance <= 1
    assert found == extract(messages)
    assert len({(c.message_id, c.kind, c.topic_key, c.content) for c in found}) == len(found)
    # Said again, it is the same.
    assert extract(messages + messages)[: len(found)] == found or len(messages) > 1


def test_offsets_of_time_do_not_matter_for_what_is_said() -> None:
    """A later repetition of the same words gives the same content."""
    early = only("Use pnpm, not npm.")
    late = only("Use pnpm, not npm.", at=AT + timedelta(days=3))
    assert early.content == late.content
