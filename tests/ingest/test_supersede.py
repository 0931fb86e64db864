"""Chains of values: one active memory a topic, whatever the order in which sessions arrive."""

from itertools import permutations

import pytest

from agentmem import Memory

CHAIN = (
    ("2026-01-05", "Use npm for installs."),
    ("2026-02-05", "Actually, use pnpm, not npm."),
    ("2026-03-05", "Let's switch to bun."),
)


def of_topic(memory: Memory, key: str = "project.package_manager"):
    return [item for item in memory.list(everything=True) if item.topic_key == key]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_newest_value_is_active_whatever_is_read_first(memory: Memory, said, order):
    for n in order:
        day, text = CHAIN[n]
        memory.ingest(said(("user", text), day=day, session=f"s{n}"))
    active = [item for item in of_topic(memory) if item.status == "active"]
    assert len(active) == 1 and "bun" in active[0].content
    assert len(of_topic(memory)) == 3
    assert all(item.superseded_by for item in of_topic(memory) if item.status == "superseded")


def test_a_value_that_comes_back_is_reinstated_with_its_whole_history(memory: Memory, said):
    for n, text in enumerate(("Use pnpm for installs.", "Let's switch to bun.", "Use pnpm for installs.")):
        memory.ingest(said(("user", text), day=f"2026-0{n + 1}-05", session=f"s{n}"))
    active = [item for item in of_topic(memory) if item.status == "active"]
    assert len(active) == 1 and "pnpm" in active[0].content
    versions = memory.history(active[0].id)
    assert len(versions) == 2
    assert sorted(len(version.evidence) for version in versions) == [1, 2]
    operations = [entry.operation for version in versions for entry in version.journal]
    assert "supersede" in operations and "reinstate" in operations


@pytest.mark.parametrize("again", ["Use pnpm for installs.", "No, go back to pnpm."])
def test_a_value_that_comes_back_in_the_same_session_holds(memory: Memory, said, again):
    memory.ingest(said(("user", "Use pnpm for installs."), ("user", "Let's switch to bun."), ("user", again)))
    (active,) = [item for item in of_topic(memory) if item.status == "active"]
    assert "pnpm" in active.content


def test_order_counts_where_nothing_has_a_time(memory: Memory):
    texts = ("Use pnpm for installs.", "Let's switch to bun.", "Use pnpm for installs.")
    for _ in range(2):
        memory.ingest([{"role": "user", "content": text, "session_id": "s"} for text in texts])
        (active,) = [item for item in of_topic(memory) if item.status == "active"]
        assert "pnpm" in active.content


def test_saying_it_again_is_evidence_and_no_second_memory(memory: Memory, said):
    memory.ingest(said(("user", "Use pnpm, not npm."), session="s1"))
    memory.ingest(said(("user", "Use pnpm, not npm."), day="2026-05-01", session="s2"))
    (item,) = of_topic(memory)
    assert len(memory.show(item.id).evidence) == 2


def test_an_agent_does_not_overrule_a_person(memory: Memory, said):
    memory.ingest(said(("user", "Use pnpm, not npm."), ("assistant", "We switched from pnpm to yarn.")))
    active = [item for item in of_topic(memory) if item.status == "active"]
    assert len(active) == 1 and "pnpm" in active[0].content


def test_superseded_values_stay_hidden_unless_asked_for(memory: Memory, said):
    memory.ingest(said(("user", "Use npm for installs."), session="s1"))
    memory.ingest(said(("user", "Actually, use pnpm, not npm."), day="2026-05-01", session="s2"))
    shown = [h.status for h in memory.recall("package manager", types=("memory",)).hits]
    assert shown == ["active"]
    with_all = [h.status for h in memory.recall("package manager", types=("memory",), everything=True).hits]
    assert sorted(with_all) == ["active", "superseded"]


def test_what_was_forgotten_does_not_come_back(memory: Memory, said):
    session = said(("user", "Use pnpm, not npm."))
    memory.ingest(session)
    (item,) = of_topic(memory)
    memory.forget(item.id)
    memory.ingest(session)
    memory.ingest(said(("user", "Use pnpm, not npm."), day="2026-06-01", session="another"))
    assert [i.status for i in of_topic(memory)] == ["forgotten"]
    assert not memory.recall("package manager", types=("memory",)).hits


def test_telling_a_forgotten_value_again_is_a_decision(memory: Memory):
    item = memory.remember("Use pnpm, not npm.")
    memory.forget(item.id)
    assert memory.remember("Use pnpm, not npm.").status == "active"


def test_a_forgotten_message_is_not_found_and_stays_away(memory: Memory, said):
    session = said(("user", "my cat is called Ziggurat"), ("user", "something else entirely"))
    memory.ingest(session)
    hit = memory.recall("Ziggurat", types=("message",)).hits[0]
    memory.forget(hit.id)
    memory.ingest(session)
    assert all("Ziggurat" not in h.content for h in memory.recall("Ziggurat", types=("message",)).hits)


def test_what_runs_elsewhere_is_no_newer_value(memory: Memory, said):
    memory.ingest(
        said(
            ("user", "The staging database is Postgres 14."),
            ("user", "The production database is Postgres 16."),
            ("user", "The API runs on port 8080."),
            ("user", "Actually the API runs on port 9090."),
        )
    )
    states = {item.content: item.status for item in memory.list(everything=True)}
    assert (
        states["The staging database is Postgres 14."] == states["The production database is Postgres 16."] == "active"
    )
    assert (states["The API runs on port 8080."], states["The API runs on port 9090."]) == ("superseded", "active")


@pytest.mark.parametrize(
    ("there", "here", "value"),
    [
        ("测试环境的数据库是 MySQL。", "数据库是 Postgres。", "MySQL"),
        ("生产环境用 Postgres。", "数据库是 MySQL。", "Postgres"),
        ("本番では PostgreSQL を使います。", "データベースは MySQL です。", "PostgreSQL"),
        ("운영 서버에서는 Postgres를 써요.", "데이터베이스는 MySQL이에요.", "Postgres"),
        ("In prod we use Postgres.", "The database is MySQL.", "Postgres"),
    ],
)
def test_what_runs_elsewhere_is_no_newer_value_in_any_language(memory: Memory, said, there: str, here: str, value: str):
    for order in ((there, here), (here, there)):
        memory.ingest(said(*[("user", text) for text in order], session=order[0]))
    active = {item.topic_key: item.content for item in memory.list() if item.topic_key.endswith(".database")}
    assert len(active) == 2
    elsewhere = next(key for key in active if key != "project.database")
    assert elsewhere.startswith(("staging", "production")) and value in active[elsewhere]


@pytest.mark.parametrize(
    ("first", "second", "key", "value"),
    [
        ("From now on the web server listens on port 3000.", "Sorry, I meant 4000.", "web_server.port", "4000"),
        ("The web server listens on port 3000.", "correction: 4000", "web_server.port", "4000"),
        (
            "The API rate limit is 500 requests per minute.",
            "Sorry, I meant 5000, not 500.",
            "api.rate_limit",
            "5000 requests",
        ),
        ("Use npm for installs.", "Oops, I meant pnpm.", "project.package_manager", "pnpm"),
        ("用 npm 安装。", "抱歉，我是说 pnpm。", "project.package_manager", "pnpm"),
        ("staging 数据库跑在 5433 端口。", "更正：5434", "staging_database.port", "5434"),
        (
            "ステージングのデータベースのポートは 5433 です。",
            "すみません、5434 です。",
            "staging_database.port",
            "5434",
        ),
        ("스테이징 데이터베이스 포트는 5433입니다.", "죄송해요, 5434번이에요.", "staging_database.port", "5434"),
    ],
)
def test_a_correction_replaces_what_was_just_said(memory: Memory, said, first, second, key, value):
    memory.ingest(said(("user", first), ("assistant", "All right."), ("user", second)))
    (active,) = [item for item in of_topic(memory, key) if item.status == "active"]
    assert value in active.content
    assert [quoted.quote for quoted in memory.show(active.id).evidence] == [second]
    assert [item.status for item in of_topic(memory, key)].count("superseded") == 1


@pytest.mark.parametrize(
    "second", ["Sorry, the tests fail.", "I mean it.", "It's 4000.", "Sorry, I meant Postgres.", "3000, I mean."]
)
def test_what_corrects_nothing_replaces_nothing(memory: Memory, said, second):
    memory.ingest(said(("user", "The web server listens on port 3000."), ("user", second)))
    assert [item.status for item in of_topic(memory, "web_server.port")] == ["active"]
