"""Exit statuses of the command line."""

DONE = 0
NO = 1  # the answer is no: a failed check, or no advice
BAD_INPUT = 2  # bad usage or input: one clear line on standard error
SOMETHING_FAILED = 3  # measured, but something failed; the run file says what
INTERRUPTED = 130  # can be resumed
