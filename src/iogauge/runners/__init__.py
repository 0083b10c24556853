"""The programs that carry out strategies, one in each language.

Folders with a runner.toml come in. Runtimes with their strategies go out, and forks: running
processes that answer requests for samples.
"""
