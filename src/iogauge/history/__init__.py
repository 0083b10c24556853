"""Many runs: what a folder of run files says over time.

A folder comes in. The levels of every case of every run come out, kept in an index, with the change
points of each series and tables that DuckDB can be asked about.
"""
