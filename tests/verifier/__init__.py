"""Execution of fixtures: what a rule claims, held against what the framework returns."""
