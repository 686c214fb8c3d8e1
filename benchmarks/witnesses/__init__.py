"""Lines of public packages at which execution showed a number that is not finite arise."""
