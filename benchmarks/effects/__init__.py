"""Effects inside processes that change times, one file each.

A module with `show(folder)` prints a table in Markdown and is a section of `causes.py`. Its
docstring is the section's line in the help.
"""
