"""Pure functions of arrays.

Arrays of measured values come in. Intervals, comparisons, sequential looks and change points go
out. Nothing here knows what a file, a case or a run is.
"""
