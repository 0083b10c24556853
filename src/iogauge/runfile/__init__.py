"""The run file: JSON lines that hold one run, raw facts only.

Records come in and are appended. A Run, its samples as columns, and a data set over many runs come
out.
"""
