"""The bytes that are read and written.

A workload comes in. Data files with manifests of their contents go out, the user's own file too,
and a verdict on every file that was written.
"""
