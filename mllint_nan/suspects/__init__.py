"""From a NaN to its cause: the possible origins in one program, the likeliest first."""
