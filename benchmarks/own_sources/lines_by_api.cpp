#include "iogauge_own.h"

#define lines lines_of
#include "lines.cpp"
#undef lines

static const char *lines(const char *path, Tally *tally) {
    (void)tally;
    volatile long kept = lines_of(path);
    return kept < 0 ? failed() : NULL;
}

WAY_OF_ANYTHING(lines)
