"""Fleet: a plan comes in; each host of many carries it out by a local run of its own, and their run
files come out. Dask distributed starts them, watches and collects.

Nothing that Dask loses costs a sample: the truth is the folders on the hosts. No code travels.
"""
