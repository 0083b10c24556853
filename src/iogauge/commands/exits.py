"""Exit statuses of the command line."""

DONE = 0
NO = 1  # the answer is no: a failed check, or no advice
BAD_INPUT = 2  # bad usage or input: one clear line on standard error
SOMETHING_FAILED = 3  # measured, but something failed; the run file says what
UNDECIDED = 4  # of a question whose answer is the status
INTERRUPTED = 130  # can be resumed
