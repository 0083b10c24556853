"""Watching: a command or a process comes in; its account, windows and waits are taken while it
runs, and findings come out, each with what a change would save.

It writes no sentences and measures no ways: who calls it hands over what measures two ways.
"""
