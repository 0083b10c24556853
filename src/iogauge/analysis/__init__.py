"""From samples to a report.

A Run comes in. Comparisons, evidence for each case, disturbances and a Report go out. Nothing here
needs the machine that measured.
"""
