"""What to use, and why.

Reports come in. Knees and dead knobs of parameters, reasons for differences, and a choice go out.
"""
