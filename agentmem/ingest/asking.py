"""Asking language models: at most four questions at once, each counted.

The threads are daemons: an answer that nobody waits for any more does not keep the program from ending.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmem.errors import BadReply, ModelUnavailable
from agentmem.models.language import LanguageModel, ModelRole, Reply
from agentmem.store.work import Use

AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is to be asked.

    Args:
        role: who is to answer.
        stage: what for, in the figures.
        prompt: the whole of it.
        schema: of the object that is wanted.
    """

    role: ModelRole
    stage: str
    prompt: str
    schema: Mapping[str, Any]


class Asker:
    """Puts questions to the models of their roles. May be used by several threads.

    What models answer is redacted like anything that is said: they may put together what was no secret in its parts.

    Args:
        choose: the model of a role.
        redact: takes secrets out of a text.
        at_once: how many questions may be open.
    """

    def __init__(
        self,
        choose: Callable[[ModelRole], LanguageModel],
        redact: Callable[[str], str],
        at_once: int = AT_ONCE,
    ) -> None:
        self._choose = choose
        self._redact = redact
        self._models: dict[ModelRole, LanguageModel] = {}
        self._slots = threading.Semaphore(at_once)
        self._lock = threading.Lock()
        self._uses: dict[tuple[str, str], Use] = {}
        self._running: list[tuple[str, str]] = []
        self._since = 0.0
        self._stopped = False

    def name_of(self, role: ModelRole) -> str:
        """The name of the model that has a role."""
        return self._model(role).name

    def stop(self) -> None:
        """Ask nothing more, and give up what is open as soon as the models can."""
        self._stopped = True
        for model in list(self._models.values()):
            stop = getattr(model, "stop", None)
            if stop is not None:
                stop()

    def ask(self, question: Question) -> Reply:
        """The answer, once a slot is free.

        Raises:
            ModelUnavailable, BadReply: as the model says.
        """
        model = self._model(question.role)
        key = (question.stage, model.name)
        with self._slots:
            if self._stopped:
                raise ModelUnavailable("Stopped")
            self._begin(key)
            reply: Reply | None = None
            try:
                reply = model.ask(question.prompt, schema=question.schema)
            finally:
                self._end(key, reply)
        if reply.data is None:
            raise BadReply(f"{model.name} answered without an object")
        return replace(reply, data=_each_text(reply.data, self._redact))

    def ask_all(self, questions: Sequence[Question]) -> list[Reply | BadReply]:
        """The answers in order, asked at the same time as far as there are slots; bad ones as the error that they are.

        Raises:
            ModelUnavailable: one could not be asked at all.
        """
        answers: list[Reply | Exception | None] = [None] * len(questions)

        def put(place: int) -> None:
            try:
                answers[place] = self.ask(questions[place])
            except Exception as error:  # noqa: BLE001 - raised again where it is waited for
                answers[place] = error

        threads = [threading.Thread(target=put, args=(place,), daemon=True) for place in range(1, len(questions))]
        for thread in threads:
            thread.start()
        if questions:
            put(0)
        for thread in threads:
            thread.join()
        found: list[Reply | BadReply] = []
        for answer in answers:
            if isinstance(answer, Reply | BadReply):
                found.append(answer)
            elif answer is not None:
                raise answer
        return found

    def take_uses(self) -> list[Use]:
        """What models took since this was asked last; time that several shared is told once, in shares."""
        with self._lock:
            self._share()
            uses = list(self._uses.values())
            self._uses.clear()
        return uses

    def _model(self, role: ModelRole) -> LanguageModel:
        with self._lock:
            if role not in self._models:
                self._models[role] = self._choose(role)
            return self._models[role]

    def _begin(self, key: tuple[str, str]) -> None:
        with self._lock:
            self._share()
            self._running.append(key)

    def _end(self, key: tuple[str, str], reply: Reply | None) -> None:
        with self._lock:
            self._share()
            self._running.remove(key)
            use = self._uses.get(key, Use(*key))
            self._uses[key] = replace(
                use,
                calls=use.calls + 1,
                failures=use.failures + (reply is None),
                prompt_tokens=use.prompt_tokens + (reply.prompt_tokens if reply else 0),
                reply_tokens=use.reply_tokens + (reply.reply_tokens if reply else 0),
            )

    def _share(self) -> None:
        """Give the time since the last change to those that were running."""
        moment = time.monotonic()
        for key in self._running:
            use = self._uses.get(key, Use(*key))
            self._uses[key] = replace(use, seconds=use.seconds + (moment - self._since) / len(self._running))
        self._since = moment


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each_text(one, change) for one in value]
    if isinstance(value, dict):
        return {key: _each_text(one, change) for key, one in value.items()}
    return value
