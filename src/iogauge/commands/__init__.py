"""What each command of the command line does; returns its exit status. Errors of the user are raised as UserError. A module for each kind of command, so that none waits for what it does not need."""
