"""Whole functions before and after their fixes, as they stand in the file, on generated arguments.

A proof by execution compares the expression that a fix changes. Here the module of the text before
and that of the text after are made, and what a function returns, writes into its arguments, raises,
and passes back as gradients is compared.
"""
