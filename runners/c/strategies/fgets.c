#include "files.h"
#include "lines.h"

static const char *lines(const Setup *setup, FILE *file, Tally *tally) {
    LineInPieces line = {0, 0};
    while (fgets(setup->memory, (int)setup->block, file)) tally_piece(tally, &line, setup->memory);
    tally_last_piece(tally, &line);
    return NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return streaming(setup, path, tally, lines); }

static const Strategy fgets_lines = {
    .name = "c/fgets", .title = "fgets", .call = "fgets", .unit = "line", .sums = "line-byte", .buffer = "new", .effort = 2,
    /* A NUL ends the string that it makes of a line. */
    .trips_on = {"nul"},
    .parameters = {{"block", 4096, 2, 1 << 30, "bytes", "piece", "bytes of the array given to fgets"}}, .run = run};
REGISTER(fgets_lines)
