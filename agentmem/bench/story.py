"""A scripted year of sessions of which the truth is known: what changed when, what was said twice, denied, forgotten.

The same seed gives the same year. All values are different from one another, so that a value found anywhere tells whose
it is. Sentences are those that people write to coding agents; rewordings use other forms, orders and verbs, and one in
twenty a synonym that no rule can know.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import product
from random import Random

_COLOURS = (
    "amber",
    "cobalt",
    "crimson",
    "ivory",
    "jade",
    "maroon",
    "ochre",
    "pearl",
    "silver",
    "teal",
    "umber",
    "violet",
)
_PARTS = (
    "gateway",
    "importer",
    "mailer",
    "resolver",
    "balancer",
    "recorder",
    "planner",
    "renderer",
    "verifier",
    "sorter",
)
_ATTRIBUTES = {
    "port": ("listens on port {}", "port is {} now", "What port does the {} listen on?"),
    "timeout": ("timeout is {} seconds", "timeout was changed to {} seconds", "What is the timeout of the {}?"),
    "rate limit": ("rate limit is {} req/s", "rate limit was raised to {} req/s", "What is the rate limit of the {}?"),
    "batch size": ("batch size is {}", "batch size was set to {}", "What is the batch size of the {}?"),
    "version": ("version is 3.{}", "version was changed to 3.{}", "Which version of the {} do we have?"),
}
_ECHOES = ("OK, {0} {1} it is.", "Done. The {0} has {1} from now on.", "Noted: {1} for the {0}.")
_REWORDED = (
    ("The {a} crew reviews {b} changes.", "{B} changes are reviewed by the {a} crew.", "inspects", "reviews"),
    ("We ship {a} logs to the {b} bucket.", "The {a} logs are shipped to the {b} bucket.", "copy", "ship"),
    ("The {a} job cleans the {b} folder.", "The {b} folder is cleaned by the {a} job.", "purges", "cleans"),
    ("Alerts of {a} go to the {b} channel.", "{A} alerts are sent to the {b} channel.", "notifications", "Alerts"),
    ("The {a} tests need the {b} fixture.", "The {b} fixture is needed by the {a} tests.", "setup", "fixture"),
)
_NUMBERS = ("The {a} export of {b} contains {n} columns.", "Backups of {a} in {b} are deleted after {n} days.")
_DENIED = (
    ("The {a} crawler visits {b} pages.", "The {a} crawler never visits {b} pages."),
    ("We sign {a} builds for {b}.", "We do not sign {a} builds for {b}."),
)
_AGAIN = ("Note that {}", "Remember, {}", "By the way: remember that {}")
_TASKS = ("TODO: rotate the {} keys.", "TODO: update the docs of {}.", "We need to rename {} before the release.")


@dataclass(frozen=True, slots=True)
class Size:
    """How much happens in the year, and how many days without a word end a session."""

    facts: int = 300
    tasks: int = 100
    duplicates: int = 200
    contradictions: int = 50
    forgotten: int = 40
    most_changes: int = 5
    pause_days: float = 0.6


SMALL = Size(facts=10, tasks=4, duplicates=15, contradictions=5, forgotten=4, pause_days=9)
"""A year that takes seconds."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message."""

    at: datetime
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Forget:
    """From this moment on a value is to be forgotten."""

    at: datetime
    value: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact with all values that it had, oldest first, and the question about it."""

    question: str
    values: tuple[str, ...]


@dataclass(slots=True)
class Story:
    """A year.

    Args:
        events: what is said and forgotten, in order of time.
        facts: what is true, and was.
        duplicates: for each thing said twice, words that both wordings have.
        contradictions: for each, words that both of its statements have.
        forgotten: values that must not be found anywhere.
        tasks: words of tasks.
    """

    events: list[Said | Forget] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    duplicates: list[tuple[str, ...]] = field(default_factory=list)
    contradictions: list[tuple[str, ...]] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)


def tell(size: Size, end: datetime, seed: int = 1) -> Story:
    """Write a year that ends at a time."""
    return _Teller(size, end, Random(seed)).tell()  # noqa: S311 - a story, not a secret


class _Teller:
    def __init__(self, size: Size, end: datetime, random: Random) -> None:
        self._size = size
        self._random = random
        self._start = (end - timedelta(days=365)).replace(hour=9, minute=0, second=0, microsecond=0)
        numbers = list(range(2_000, 10_000))
        random.shuffle(numbers)
        self._numbers = iter(numbers)
        self._names = self._invented()
        self._story = Story()

    def tell(self) -> Story:
        things = [f"{colour} {part}" for colour, part in product(_COLOURS, _PARTS)]
        places = list(product(things, _ATTRIBUTES))
        self._random.shuffle(places)
        spare = iter(places[self._size.facts :])
        for thing, attribute in places[: self._size.facts]:
            self._fact(thing, attribute)
        for number in range(self._size.duplicates):
            self._twice(number)
        for number in range(self._size.contradictions):
            self._dispute(number, spare)
        for number in range(self._size.forgotten):
            self._forget(number, spare)
        for number in range(self._size.tasks):
            name = next(self._names)
            self._story.tasks.append(name)
            self._say(self._day(0, 364), _TASKS[number % len(_TASKS)].format(name))
        self._story.events.sort(key=lambda event: event.at)
        return self._story

    def _fact(self, thing: str, attribute: str) -> None:
        first, later, question = _ATTRIBUTES[attribute]
        changes = self._random.randint(0, self._size.most_changes)
        days = sorted(self._random.sample(range(360), changes + 1))
        values = []
        for place, day in enumerate(days):
            value = str(next(self._numbers))
            values.append(value)
            words = (later if place else first).format(value)
            opening = "Remember: the" if place == 0 else "The"
            self._say(self._at(day), f"{opening} {thing} {words}.", echo=(thing, _shown(attribute, value)))
        self._story.facts.append(Fact(question.format(thing), tuple(values)))

    def _twice(self, number: int) -> None:
        one, other, synonym, word = _REWORDED[number % len(_REWORDED)]
        a, b = next(self._names), next(self._names)
        names = {"a": a, "b": b, "A": a.capitalize(), "B": b.capitalize()}
        first, second = one.format(**names), other.format(**names)
        if number % 20 == 19:
            first = first.replace(word, synonym)
        self._story.duplicates.append((a, b))
        day = self._random.randint(0, 300)
        self._say(self._at(day), f"Remember: {_lowered(first)}")
        self._say(self._day(day + 1, 364), f"Remember: {_lowered(second)}")

    def _dispute(self, number: int, spare: Iterator[tuple[str, str]]) -> None:
        day = self._random.randint(0, 300)
        if number % 5 == 4:  # two values of one topic, said at the same moment
            thing, attribute = next(spare)
            values = (str(next(self._numbers)), str(next(self._numbers)))
            at = self._at(day)
            for value in values:
                self._say(at, f"Remember: the {thing} {_ATTRIBUTES[attribute][0].format(value)}.")
            self._story.contradictions.append((thing,))
            return
        names = {"a": next(self._names), "b": next(self._names)}
        if number % 2:
            pair = tuple(_NUMBERS[number // 2 % 2].format(**names, n=next(self._numbers)) for _ in range(2))
        else:
            pair = tuple(words.format(**names) for words in _DENIED[number // 2 % 2])
        self._story.contradictions.append((names["a"], names["b"]))
        self._say(self._at(day), f"Remember: {_lowered(pair[0])}")
        self._say(self._day(day + 1, 364), f"Remember: {_lowered(pair[1])}")

    def _forget(self, number: int, spare: Iterator[tuple[str, str]]) -> None:
        day = self._random.randint(0, 200)
        value = str(next(self._numbers))
        if number % 2:
            thing, attribute = next(spare)
            shown = _shown(attribute, value)
            first, later, _ = _ATTRIBUTES[attribute]
            said = f"the {thing} {first.format(value)}."
            again = (f"The {thing} {later.format(value)}.", f"Remember, the {thing} {first.format(value)}!")
        else:
            thing, shown = next(self._names), value
            said = f"{thing} backups are deleted after {value} days."
            again = (f"Remember: we delete {thing} backups after {int(value):,} days.", "")
        self._story.forgotten.append(value)
        at = self._at(day)
        self._say(at, f"Remember: {said}", echo=(thing, shown))
        self._story.events.append(Forget(at + timedelta(hours=20), value))
        later_on = self._day(day + 30, 364)
        self._say(later_on, again[number // 2 % 2] or _AGAIN[number % 3].format(said), echo=(thing, shown))

    def _say(self, at: datetime, content: str, echo: tuple[str, str] | None = None) -> None:
        self._story.events.append(Said(at, "user", content))
        if echo and self._random.random() < 0.5:
            answer = self._random.choice(_ECHOES).format(*echo)
            self._story.events.append(Said(at + timedelta(seconds=40), "assistant", answer))

    def _at(self, day: int) -> datetime:
        return self._start + timedelta(days=day, minutes=self._random.randint(0, 500))

    def _day(self, first: int, last: int) -> datetime:
        return self._at(self._random.randint(min(first, last), last))

    def _invented(self) -> Iterator[str]:
        """Names that are no words, each once."""
        syllables = [a + b for a, b in product("bdfgklmnprtvz", "aeiou")]
        names = ["".join(parts) + "x" for parts in product(syllables, repeat=3)]
        self._random.shuffle(names)
        return iter(names)


def _shown(attribute: str, value: str) -> str:
    return f"3.{value}" if attribute == "version" else value


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
