"""Result files of other tools as runs: a file comes in, a Run that is marked as imported goes out.

Everything that looks at runs works on it unchanged. It has repeats and times, and nothing else: no
evidence, no control, no ceiling, no rounds in which cases took turns. docs/formats.md says what
each format holds.
"""
