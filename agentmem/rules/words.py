"""Words that carry no subject: what a question is made of besides what it asks about."""

from agentmem.rules.tables import lexicon


def function_words() -> frozenset[str]:
    """Question words, articles, auxiliaries, pronouns and particles of the four languages, in lower case.

    Chinese ones are in both scripts.
    """
    return lexicon().function_words
