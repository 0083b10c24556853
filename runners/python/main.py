"""The Python runner: `harness.channel` replies to the host."""

from harness.channel import serve

serve()
