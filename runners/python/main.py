"""The Python runner: `harness.channel` replies to the host."""

from harness import own
from harness.channel import serve

if __name__ == "__main__":
    serve()
elif __name__ == "__mp_main__":  # of a process that the user's function starts, for its workers
    own.loaded()
