"""A module for each language whose functions are found in the source.

Its function `glue` takes what the user gave and returns a Glue; where that is wrong, it raises
Wrong.
"""
