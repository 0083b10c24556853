/* stdio with a buffer of the program's size. */
#pragma once

#include <stdlib.h>

#include "files.h"

/* As `streaming`, with a buffer by setvbuf. It is allocated here, as that of stdio itself would be; with NULL in its
   place, glibc would take no notice of the size. */
static inline const char *streaming_buffered(const Setup *setup, const char *path, Tally *tally, OnStream body) {
    FILE *file = fopen(path, "r");
    if (!file) return failed();
    char *buffer = (char *)malloc(setup->buffer);
    const char *reason = !buffer || setvbuf(file, buffer, _IOFBF, setup->buffer) ? failed() : body(setup, file, tally);
    if (!reason && ferror(file)) reason = failed();
    fclose(file);
    free(buffer);
    return reason;
}
