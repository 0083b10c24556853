"""The command line: a table of contents of everything else.

Arguments come in. An exit status goes out.
"""
