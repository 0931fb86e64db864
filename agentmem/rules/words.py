"""Words that carry no subject: what a question is made of besides what it asks about."""

from agentmem.rules.tables import lexicon


def function_words() -> frozenset[str]:
    """Question words, articles, auxiliaries, pronouns and particles of all four languages, in lower case.

    Chinese words are in simplified characters (`agentmem.rules.tables.fold`).
    """
    return lexicon().function_words
