"""Reads a file at once."""

with open("data", "rb") as file:
    print(file.read().count(b"a"))
