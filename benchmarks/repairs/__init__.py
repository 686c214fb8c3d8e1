"""Lines that the authors of public repositories repaired, and what is reported of them."""
