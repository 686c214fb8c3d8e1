"""Lines of public packages where execution showed that a non-finite number arises."""
