#include "files.h"

/* A line that is longer than the array comes in several pieces, and counts once. */
static const char *lines(const Setup *setup, FILE *file, Tally *tally) {
    size_t before = 0; /* of the line, in earlier pieces */
    int ended_by_return = 0;
    while (fgets(setup->memory, (int)setup->block, file)) {
        size_t length = strlen(setup->memory);
        if (length && setup->memory[length - 1] == '\n') {
            int follows = length > 1 ? setup->memory[length - 2] == '\r' : ended_by_return;
            tally_line(tally, before + length - (follows ? 2 : 1));
            before = 0;
            ended_by_return = 0;
        } else {
            before += length;
            ended_by_return = length && setup->memory[length - 1] == '\r';
        }
    }
    if (before) tally_line(tally, before);
    return NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return streaming(setup, path, tally, lines); }

static const Strategy fgets_lines = {
    .name = "c/fgets", .title = "fgets", .call = "fgets", .unit = "line", .sums = "line-byte", .buffer = "new", .effort = 2,
    .parameters = {{"block", 4096, 2, 1 << 30, "bytes", "piece", "bytes of the array given to fgets"}}, .run = run};
REGISTER(fgets_lines)
