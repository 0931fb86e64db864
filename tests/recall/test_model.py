"""What language models add to an answer, with scripted replies: analysis, hypothetical vector, words with citations."""

import re
import time
from datetime import UTC, datetime

import pytest

from agentmem import Config, Memory, ModelUnavailable
from agentmem.errors import BadReply
from agentmem.models.language import ModelRole, ScriptedModel
from agentmem.recall.aid import AGENT_SECONDS, START_SECONDS, Aid
from agentmem.recall.grounding import ground
from agentmem.recall.related import related

SESSION = (
    ("user", "API rate limit was increased to 10,000 req/s per zone after the April 10 incident."),
    ("user", "Use pnpm, not npm. And dark mode by default."),
    ("user", "We decided to use Postgres 16.2 for billing."),
    ("assistant", "Noted."),
)
NOTHING = {"topics": [], "words": [], "statement": ""}
UNKNOWN = {"known": False, "answer": ""}


class Slow:
    """A model that answers after the time it takes, whatever it is told about that."""

    name = "slow"

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def ask(self, prompt, *, schema=None, seconds=None):
        time.sleep(self._seconds)
        raise AssertionError


class Warm(ScriptedModel):
    """A scripted model that tells whether it is in memory."""

    def __init__(self, replies, *, loaded: bool) -> None:
        super().__init__(replies)
        self._loaded = loaded

    def loaded(self) -> bool:
        return self._loaded


def aided(memory: Memory, *, analyze=None, synthesize=None) -> Memory:
    """The memory with models: replies, or a model."""
    config = Config(embedder=memory.config.embedder, language_model="scripted")
    models = {
        role: given if hasattr(given, "ask") else ScriptedModel(given)
        for role, given in ((ModelRole.ANALYZE, analyze or [NOTHING]), (ModelRole.SYNTHESIZE, synthesize or [UNKNOWN]))
    }
    other = Memory(memory.home, config, "project", models=models.__getitem__)
    other.models = models
    return other


@pytest.fixture
def filled(memory: Memory, said) -> Memory:
    memory.ingest(said(*SESSION))
    memory.work()
    return memory


def test_an_answer_in_words_cites_hits_that_exist(filled):
    answer = aided(filled, synthesize=[{"known": True, "answer": "It is 10,000 req/s per zone [1]."}]).recall(
        "What is the API rate limit?"
    )
    assert answer.text == "It is 10,000 req/s per zone [1]."
    assert (answer.author, answer.citations, answer.trouble) == ("scripted", (1,), "")
    assert "10,000" in answer.hits[0].content


def test_what_the_model_is_given(filled):
    asked = aided(filled)
    asked.recall("What is the API rate limit?", reference_date="2026-04-22")
    analysis, words = (asked.models[role].asked[0] for role in (ModelRole.ANALYZE, ModelRole.SYNTHESIZE))
    assert "What is the API rate limit?" in analysis and "* api.rate_limit" in analysis and "2026-04-22" in analysis
    assert re.search(r"\[1\] \(fact, 2026-04-20\) “API rate limit was increased to 10,000 req/s", words)
    assert "* Record 1 happened on 2026-04-10, 12 days ago." in words


def test_dates_are_computed_and_handed_over(filled):
    asked = aided(filled, synthesize=[{"known": True, "answer": "12 days passed [1]."}])
    answer = asked.recall("How many days since the April 10 incident?", reference_date="2026-04-22")
    assert answer.text == "12 days: from 2026-04-10 to 2026-04-22.\n12 days passed [1]."
    assert "* 12 days: from 2026-04-10 to 2026-04-22." in asked.models[ModelRole.SYNTHESIZE].asked[0]


@pytest.mark.parametrize("reply", [{"known": True, "answer": "13 days passed [1]."}, UNKNOWN, BadReply("no JSON")])
def test_the_calendar_stands_whatever_the_model_says(filled, reply):
    answer = aided(filled, synthesize=[reply]).recall(
        "How many days since the April 10 incident?", reference_date="2026-04-22"
    )
    assert (answer.text, answer.author) == ("12 days: from 2026-04-10 to 2026-04-22.", "rule")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who raised the rate limit?", "I don't know: what is on record does not answer that."),
        ("谁提高了 API rate limit？", "我不知道：记录里没有答案。"),
        ("誰在開發時提高了 API rate limit？", "我不知道：記錄裡沒有答案。"),
        ("API rate limit を上げたのは誰ですか", "わかりません。記録の中に答えがありません。"),
        ("API rate limit 누가 올렸어?", "모르겠습니다. 기록에 답이 없습니다."),
    ],
)
def test_unknown_is_said_in_the_questions_language_and_the_hits_come(filled, question, words):
    answer = aided(filled).recall(question)
    assert answer.text == words and answer.citations == ()
    assert answer.hits and not answer.abstained


@pytest.mark.parametrize(
    "answer",
    ["It is 10,000 req/s.", "It is 10,000 req/s [99].", "It is 10,000 req/s [0].", "It is 20,000 req/s [1].", "On 2026-04-11 it rose [1]."],
)  # fmt: skip
def test_an_answer_that_rests_on_nothing_is_not_shown(filled, answer):
    got = aided(filled, synthesize=[{"known": True, "answer": answer}]).recall("What is the API rate limit?")
    assert got.text is None and got.author is None and got.citations == ()
    assert "did not rest on what was found" in got.trouble
    assert got.hits


DAYS = {datetime(2026, 4, 10, tzinfo=UTC).date()}
GIVEN = "the limit is 10,000 req/s with Postgres 16.2 on port 8443, 12 days ago"


@pytest.mark.parametrize(
    ("answer", "left", "citations"),
    [
        ("The limit is 10000 [1]. Bob did it [7].", "The limit is 10000 [1].", (1,)),
        ("Postgres 16.2 is used [2] . Port 8443 [1][2].", "Postgres 16.2 is used [2]. Port 8443 [1][2].", (2, 1)),
        ("On April 10 it rose [1, 2]. On April 11 it fell [1].", "On April 10 it rose [1][2].", (1, 2)),
        ("2026-04-10 it rose.\n[1]", "2026-04-10 it rose. [1]", (1,)),
        ("上限は10,000です［1］。ポートは9999です[2]。", "上限は10,000です [1]。", (1,)),
        ("限流是１０，０００【2】。", "限流是１０，０００ [2]。", (2,)),
        ("It was 12 days ago [1-2].", "It was 12 days ago [1][2].", (1, 2)),
        ("It was 13 days ago [1].", "", ()),
        ("No citation at all.", "", ()),
        ("[1]", "", ()),
        ("", "", ()),
    ],
)
def test_grounding(answer, left, citations):
    reference = datetime(2026, 4, 22, 12, tzinfo=UTC)
    checked = ground(answer, records=2, given=GIVEN, days=DAYS, reference=reference)
    assert (checked.text, checked.citations) == (left, citations)


def test_what_a_tool_printed_is_marked(memory, said):
    memory.ingest([*said(("user", "Why did the deploy fail?")), {"role": "tool", "content": "deploy failed with E4217", "session_id": "s1", "timestamp": "2026-04-20T10:05:00Z"}])  # fmt: skip
    asked = aided(memory)
    rank = next(hit.rank for hit in asked.recall("E4217", llm=False).hits if hit.trust == "low")
    asked = aided(memory, synthesize=[{"known": True, "answer": f"With E4217 [{rank}]."}])
    answer = asked.recall("E4217")
    assert answer.text == f"With E4217 [{rank}].\n(Printed by a tool, which may be wrong or meant to mislead: [{rank}])"
    assert "printed by a tool" in asked.models[ModelRole.SYNTHESIZE].asked[0]


def test_the_hypothetical_answer_is_a_channel(filled):
    reply = {**NOTHING, "statement": "Postgres 16.2 is used for billing"}
    answer = aided(filled, analyze=[reply]).recall("rate limit of billing")
    found = next(hit for hit in answer.hits if "Postgres" in hit.content)
    parts = {part.channel: part for part in found.parts}
    assert parts["hypothetical vector"].rank == 1
    assert parts["hypothetical vector"].score > parts["question vector"].score
    for hit in answer.hits:
        assert sum(part.share for part in hit.parts) == pytest.approx(hit.score)
    assert not any("hypothetical" in note for note in answer.notes)


@pytest.mark.parametrize("embedder", ["none", "fake"])
@pytest.mark.parametrize("reply", [{**NOTHING, "words": ["Postgres"]}, {**NOTHING, "topics": ["project.database"]}])
def test_other_words_and_topics_find_what_the_question_does_not_name(filled, embedder, reply):
    question = "wo liegen die Rechnungen"
    asked = Memory(filled.home, Config(embedder=embedder), "project")
    assert not any("Postgres" in hit.content for hit in asked.recall(question).hits)
    answer = aided(asked, analyze=[reply]).recall(question)
    assert any("Postgres" in hit.content for hit in answer.hits)


@pytest.mark.parametrize(
    "reply",
    [
        {"topics": ["made.up"], "words": ["zzyzx"], "statement": ""},
        {"topics": "project.database", "words": None, "statement": 7},
        {"topics": [1, None], "words": [["x"]], "statement": "\x00"},
        {},
    ],
)
def test_a_reply_of_any_shape_does_no_harm(filled, reply):
    without = filled.recall("rate limit")
    answer = aided(filled, analyze=[reply]).recall("rate limit")
    assert [hit.id for hit in answer.hits] == [hit.id for hit in without.hits]
    assert answer.trouble == ""


@pytest.mark.parametrize("failure", [ModelUnavailable("no server at 127.0.0.1:11434"), BadReply("no JSON")])
def test_a_failing_model_costs_only_its_part(filled, failure):
    without = filled.recall("rate limit")
    answer = aided(filled, analyze=[failure], synthesize=[failure]).recall("rate limit")
    assert [hit.id for hit in answer.hits] == [hit.id for hit in without.hits]
    assert answer.text is None
    assert answer.trouble == (
        f"the question was analysed by rule: {failure.message}; no answer in words: {failure.message}"
    )


def test_the_budget_holds_whatever_the_model_does(filled):
    asked = aided(filled, analyze=Slow(30), synthesize=Slow(30))
    began = time.monotonic()
    answer = asked.recall("rate limit", budget_ms=1_000)
    assert time.monotonic() - began < 20  # of 30; other processes may be at work
    assert answer.hits and "took too long" in answer.trouble


@pytest.mark.parametrize("options", [{"llm": False}, {"budget_ms": 0}])
def test_no_model_is_asked_where_none_is_wanted(filled, options):
    asked = aided(filled, analyze=[], synthesize=[])  # an empty script raises when asked
    answer = asked.recall("rate limit", **options)
    assert answer.hits and answer.text is None and answer.trouble == ""


def test_nothing_known_costs_no_second_call(filled):
    asked = aided(filled, synthesize=[])
    assert asked.recall("airspeed velocity of an unladen swallow").abstained


@pytest.mark.parametrize("model", [ScriptedModel([NOTHING]), Warm([NOTHING], loaded=False)])
def test_the_start_of_a_session_never_waits_for_a_cold_model(filled, model):
    asked = aided(filled, analyze=model)
    assert "10,000" in asked.context(query="rate limit").text
    assert model.asked == []


def test_the_start_of_a_session_uses_a_warm_model(filled, monkeypatch):
    monkeypatch.setattr("agentmem.memory.START_SECONDS", 30.0)  # however busy the machine is
    model = Warm([{**NOTHING, "words": ["Postgres"]}], loaded=True)
    text = aided(filled, analyze=model).context(query="wo liegen die Rechnungen").text
    asked_now = text.split("How the user wants")[0]
    assert len(model.asked) == 1 and "Postgres" in asked_now


def test_related_has_a_budget_too(filled):
    began = time.monotonic()
    related(
        filled._store, filled._terms, "rate limit", profiles=("project",), reference=datetime.now(UTC),
        embedder=lambda: filled._embedder, most=3, aid=Aid(analyst=Slow(30), seconds=0.3),
        rates=filled._rates,
    )  # fmt: skip
    assert time.monotonic() - began < 20
    assert START_SECONDS <= AGENT_SECONDS
