"""The probe: it watches a running program, and stops it at the first number that is not finite.

It runs in the environment of the program, where nothing else of the tool need be installed: only
the standard library is imported here, and of the frameworks those that the program imports.
"""
