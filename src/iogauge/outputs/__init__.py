"""What people and programs see.

A Report with its verdicts and advice comes in and becomes a Document. Text, pages, pictures and
export formats go out, one file for each.
"""
