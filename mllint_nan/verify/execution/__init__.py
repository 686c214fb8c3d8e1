"""Code that runs in a process of its own, with the standard library and one framework.

Nothing here imports any other part of the package, so that the process starts quickly and is
isolated from it. Expressions and inputs are received as JSON, and so are the results returned.
"""
