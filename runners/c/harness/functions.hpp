// Functions of the user's that were not written for iogauge, which glue adds (as_it_stands.h).
#pragma once

bool has_functions();

// Makes strategies of them, once, by what trials on a small file showed. Those that were not tried yet are tried now, if
// `trying`; what a trial showed is kept beside the runner. Gives why none can be called, or null.
const char *know_functions(bool trying);

// What ends the program while a function runs, a signal or exit, is told on this channel in the place of a reply.
void tell_ends_on(int channel);
