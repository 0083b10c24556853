"""What to use, and why.

Reports come in. Knees and parameters without effect of parameters, reasons for differences, and a
choice go out.
"""
