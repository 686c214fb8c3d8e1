"""Lines that authors of public repositories repaired, and what is reported about them."""
