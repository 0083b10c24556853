import csv
from collections import defaultdict


def to_float(value):
    return float(value or 0)


def totals_by_id(csvfile):
    totals = defaultdict(float)
    with open(csvfile, newline="") as f:
        for row in csv.DictReader(f):
            totals[row["id"]] += to_float(row["amount"])
    return dict(totals)
