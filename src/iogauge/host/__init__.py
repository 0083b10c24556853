"""This machine.

The operating system comes in. Facts, limits, the state of the page cache, the counters of devices
and processes, and what else the machine was doing go out.
"""
