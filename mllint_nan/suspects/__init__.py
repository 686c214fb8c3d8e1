"""From a NaN to its cause: the operations of one program that can be its origin, best first."""
