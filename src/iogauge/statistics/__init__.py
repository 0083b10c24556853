"""Pure functions of arrays.

Arrays of measured values come in. Intervals, paired ratios, change points and the states of forks
go out. Nothing here knows what a file, a case or a run is.
"""
