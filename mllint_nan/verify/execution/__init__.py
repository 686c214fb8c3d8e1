"""What is executed in a process of its own: the standard library and one framework.

Nothing here imports anything else of the package, so that the process starts quickly and sees
none of it. Expressions and inputs come in as JSON, what was seen goes out.
"""
