"""Ollama over a real socket: what is sent, what is made of the answers, and every way in which they can be wrong."""

import threading
import time

import numpy as np
import pytest

from agentmem.config import Config, load
from agentmem.errors import BadReply, ConfigError, ModelMismatch, ModelUnavailable, NoAnswerInTime
from agentmem.memory import Memory
from agentmem.models.choose import choose_embedder, choose_language_model
from agentmem.models.language import ModelRole
from agentmem.models.ollama import OllamaModel, allowed_host, context_for
from agentmem.models.ollama_embedder import OllamaEmbedder
from tests.models.fake_ollama import serving

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def test_an_object_is_asked_for_and_given():
    with serving(lambda _p, _r: {"n": 3}) as server:
        reply = OllamaModel(server.url, "small").ask("How many?", schema=SCHEMA)
    assert reply.data == {"n": 3}
    assert reply.prompt_tokens > 0 and reply.reply_tokens > 0
    sent = server.requests[0]
    assert sent["format"] == SCHEMA
    assert sent["options"]["temperature"] == 0 and "seed" in sent["options"] and sent["options"]["num_ctx"] == 4096
    assert sent["keep_alive"] and sent["think"] is False


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("<think>hm\nhm</think>\n\nfour", "four"),
        ("hm hm</think>four", "four"),
        ("four<think>and then", "four"),
        ("four", "four"),
    ],
)
def test_what_a_model_thinks_is_dropped(said, left):
    with serving(lambda _p, _r: said) as server:
        assert OllamaModel(server.url, "small").ask("How many?").text == left


@pytest.mark.parametrize("said", ['```json\n{"n": 3}\n```', 'Sure! {"n": 3} There.', '<think>{"n": 4}</think>{"n": 3}'])
def test_an_object_is_found_among_words(said):
    with serving(lambda _p, _r: said) as server:
        assert OllamaModel(server.url, "small").ask("How many?", schema=SCHEMA).data == {"n": 3}
    assert len(server.requests) == 1


@pytest.mark.parametrize("bad", ["none", '{"n": "three"}', "{}", "[3]", '{"n": 3'])
def test_a_bad_reply_is_repaired_once(bad):
    answers = [bad, {"n": 3}]
    with serving(lambda _p, _r: answers.pop(0)) as server:
        assert OllamaModel(server.url, "small").ask("How many?", schema=SCHEMA).data == {"n": 3}
    _, second = server.requests
    assert [one["role"] for one in second["messages"]] == ["user", "assistant", "user"]
    assert "not what was asked for" in second["messages"][-1]["content"]


def test_a_second_bad_reply_is_one_too_many():
    with serving(lambda _p, _r: "none") as server, pytest.raises(BadReply, match="form that was asked for"):
        OllamaModel(server.url, "small").ask("How many?", schema=SCHEMA)
    assert len(server.requests) == 2


def test_a_missing_model_is_named_with_its_remedy():
    with serving() as server, pytest.raises(ModelUnavailable) as caught:
        OllamaModel(server.url, "absent:4b").ask("?")
    assert "ollama pull absent:4b" in caught.value.hint


def test_a_busy_server_is_asked_again_but_not_for_ever():
    answers = [503, 500, "fine"]
    with serving(lambda _p, _r: answers.pop(0)) as server:
        assert OllamaModel(server.url, "small").ask("?").text == "fine"
        answers += [503] * 9
        with pytest.raises(ModelUnavailable):
            OllamaModel(server.url, "small").ask("?")
    assert len(server.requests) == 6


def test_no_server():
    with serving() as server:
        port = server.stop()
        server.start(port)
        port = server.stop()
        began = time.monotonic()
        with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
            OllamaModel(f"127.0.0.1:{port}", "small").ask("?")
        assert "ollama serve" in caught.value.hint
        assert time.monotonic() - began < 5
        server.start(port)


def test_an_answer_that_takes_too_long():
    with serving() as server:
        server.delay = 3
        began = time.monotonic()
        with pytest.raises(NoAnswerInTime):
            OllamaModel(server.url, "small").ask("?", seconds=0.3)
        assert time.monotonic() - began < 2


def test_the_context_grows_with_the_prompt_in_powers_of_two():
    assert context_for("short") == 4096
    assert context_for("x" * 10_000) == 8192
    assert context_for("字" * 10_000) == 32_768
    assert [context_for("x" * n).bit_count() for n in (1, 7_000, 99_999)] == [1, 1, 1]


def test_a_prompt_that_was_cut_is_sent_again_with_more_room():
    with serving(lambda _p, _r: "fine") as server:
        # Letters that are tokens of their own: four times what was reckoned with.
        asked = []

        def answer(prompt, request):
            asked.append(request["options"]["num_ctx"])
            server.cut_to = request["options"]["num_ctx"] if len(asked) == 1 else None
            return "fine"

        server.answer = answer
        assert OllamaModel(server.url, "small").ask("x " * 9_000).text == "fine"
        assert asked == [16_384 if asked[0] == 16_384 else 8192] or asked[1] == 2 * asked[0]


def test_a_prompt_longer_than_the_model_can_see_is_no_answer():
    with serving(lambda _p, _r: "fine") as server:
        server.context_length = 1_024
        with pytest.raises(BadReply, match="longer than what small can see"):
            OllamaModel(server.url, "small").ask("word " * 2_000)
    assert len(server.requests) == 1


def test_stopping_gives_up_what_is_open():
    with serving() as server:
        server.delay = 1.0
        model = OllamaModel(server.url, "small")
        raised = []

        def ask():
            try:
                model.ask("?")
            except ModelUnavailable as error:
                raised.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(0.2)
        model.stop()
        thread.join(timeout=5)
    assert raised


@pytest.mark.parametrize("host", ["", "localhost", "127.0.0.1:9", "http://[::1]:11434", "0.0.0.0:11434", "127.9.9.9"])
def test_this_machine_is_allowed(host):
    assert "0.0.0.0" not in allowed_host(host, allow_remote=False)


@pytest.mark.parametrize(
    "host", ["192.168.1.7", "http://gpu.example:11434", "gpu", "127.0.0.1.example.com:1", "127.evil", "localhost.evil"]
)
def test_another_machine_must_be_allowed(host):
    with pytest.raises(ConfigError, match="another machine") as caught:
        allowed_host(host, allow_remote=False)
    assert "allow_remote true" in caught.value.hint
    assert allowed_host(host, allow_remote=True) == host


def test_settings_choose_the_model_of_each_role():
    config = Config(language_model="ollama", model_merge="other:1b")
    assert choose_language_model(config, ModelRole.MERGE).name == "other:1b"
    assert choose_language_model(Config(), ModelRole.MERGE) is None
    with pytest.raises(ConfigError, match="Unknown language model"):
        choose_language_model(Config(language_model="gpt"), ModelRole.MERGE)
    with pytest.raises(ConfigError, match="another machine"):
        choose_language_model(Config(language_model="ollama", ollama_host="far"), ModelRole.MERGE)


def test_the_host_comes_from_the_setting_else_the_variable(tmp_path):
    settings = tmp_path / "config.toml"
    assert load(settings, {"OLLAMA_HOST": "localhost:9"}).ollama_host == "localhost:9"
    assert load(settings, {"OLLAMA_HOST": "localhost:9", "AGENTMEM_OLLAMA_HOST": "localhost:8"}).ollama_host.endswith(
        "8"
    )
    assert load(settings, {}).ollama_host == ""


def test_a_proxy_gets_nothing(monkeypatch):
    with serving(lambda _p, _r: "fine") as server:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
        assert OllamaModel(server.url, "small").ask("?").text == "fine"


def test_embedding():
    with serving() as server:
        embedder = OllamaEmbedder(server.url, "small")
        assert (embedder.name, embedder.dimension) == ("ollama/small", 8)
        vectors = embedder.embed_documents(["pnpm is used", "a rate limit", "pnpm is used"] * 20)
    assert vectors.shape == (60, 8) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.allclose(vectors[0], vectors[2])
    assert [len(one["input"]) for one in server.embedded] == [1, 32, 28]
    assert all(one["truncate"] is True for one in server.embedded)


def test_models_get_the_marks_that_they_were_trained_with():
    with serving() as server:
        server.models.append("nomic-embed-text:v1.5")
        embedder = OllamaEmbedder(server.url, "nomic-embed-text:v1.5")
        embedder.embed_documents(["text"])
        embedder.embed_query("question")
    assert [one["input"][0] for one in server.embedded] == ["search_document: text", "search_query: question"]


def test_a_text_that_a_model_refuses_as_too_long_is_cut():
    with serving() as server:
        server.longest_input = 300
        vectors = OllamaEmbedder(server.url, "small").embed_documents(["short", "long " * 200, "short"])
    assert vectors.shape == (3, 8)


def test_vectors_from_ollama_end_to_end(own_home, said):
    with serving() as server:
        config = Config(embedder="ollama", model_embed="small", ollama_host=server.url)
        memory = Memory.open(own_home / "agentmem", profile="project", config=config)
        memory.ingest(said(("user", "Use pnpm, not npm."), ("assistant", "Understood.")))
        assert memory.work().owed == 0
        assert memory.stats().model == "ollama/small"
        assert "pnpm" in memory.recall("pnpm").hits[0].content

        other = Memory.open(
            own_home / "agentmem",
            profile="project",
            config=Config(embedder="ollama", model_embed="large", ollama_host=server.url),
        )
        with pytest.raises(ModelMismatch) as caught:
            other.work()
        assert "config set model_embed small" in caught.value.hint
        assert other.work(restart_vectors=True).owed == 0
        assert other.stats().model == "ollama/large"


def test_an_embedding_server_that_is_gone_leaves_search_by_words(own_home, said):
    with serving() as server:
        config = Config(embedder="ollama", model_embed="small", ollama_host=server.url)
        memory = Memory.open(own_home / "agentmem", profile="project", config=config)
        memory.ingest(said(("user", "Use pnpm, not npm.")))
        memory.work()
        port = server.stop()
        found = memory.recall("pnpm")
        assert "pnpm" in found.hits[0].content
        check = next(one for one in memory.doctor() if one.name == "embedder")
        assert check.state == "warning" and "ollama serve" in check.hint
        server.start(port)


def test_no_embedder_is_reached_for_before_it_is_used():
    assert (
        choose_embedder("ollama", Config(embedder="ollama", ollama_host="127.0.0.1:1")).name == "ollama/embeddinggemma"
    )
