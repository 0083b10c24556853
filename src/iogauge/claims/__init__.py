"""Published numbers and statements beside measured ones.

A Report and the published numbers of a Study come in. Comparable cases and a verdict on each claim
go out.
"""
