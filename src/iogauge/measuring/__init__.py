"""Carries out a plan: the only package that knows when anything happens.

A Plan comes in, with a function that says how the run stands. Records go out to the run file. The
two protocols (`sound`, `published`) are put together from the parts of a `bench`.
"""
