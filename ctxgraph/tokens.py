"""The token estimate that prices every context."""


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: four characters each, never fewer than its words.

    An estimate, not a tokenizer: it needs no download and treats every memory alike.

    Parameters
    ----------
    text : str

    Returns
    -------
    int
        The larger of the number of words and the rounded quarter of the characters
        (half to even); 0 for the empty text.

    Examples
    --------
    >>> count_tokens("The project stores its data in PostgreSQL.")
    10
    >>> count_tokens("")
    0
    """
    return max(len(text.split()), round(len(text) / 4))
