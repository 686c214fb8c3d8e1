"""The probe: it watches a running program, and stops it at the first number that is not finite.

It runs in the program's own environment, where no other part of the tool need be installed. So
it imports only the standard library, and those frameworks that the program imports.
"""
