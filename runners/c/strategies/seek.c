#include "files.h"

static const char *at_offsets(const Setup *setup, FILE *file, Tally *tally) {
    for (size_t number = 0; number < setup->accesses; number++) {
        uint64_t at = setup->offsets[number];
        if (fseeko(file, (off_t)at, SEEK_SET)) return failed();
        if (fread(setup->memory, 1, setup->block, file) < setup->block)
            return ferror(file) ? failed() : "ends before the end of a block";
        tally_access(tally, setup->memory, setup->block, at);
    }
    return NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return streaming(setup, path, tally, at_offsets); }

static const Strategy seek = {
    .name = "c/fseek-fread", .title = "fseeko and fread at random offsets", .call = "fseek, fread", .access = "random",
    .compute_only = "c/consume-block", .buffer = "new", .effort = 2, .parameters = {BLOCK("bytes read at each offset")}, .run = run};
REGISTER(seek)
