"""iogauge inside another program: a library, and a plugin of pytest.

Run files, studies and functions come in. Results go out: the values of the export, frames of them,
and pictures for a notebook. It prints nothing, and what goes wrong is an exception.
"""
