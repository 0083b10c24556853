"""From a question to a plan.

A Study, the runtimes of this host, and the options of the command line come in. A Plan goes out:
every case, group, fork and random order, frozen before anything runs.
"""
