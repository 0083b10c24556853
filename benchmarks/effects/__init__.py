"""Effects inside processes that make times differ, one file each. A module with `show(folder)`,
which prints a table in Markdown, is a section of `causes.py`; its docstring is what the help says
of it.
"""
