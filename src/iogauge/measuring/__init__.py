"""Carries out a plan: the only package that knows when anything happens.

A Plan comes in. Records go out to the run file. Whether enough was measured is told by a function
that is handed in.
"""
