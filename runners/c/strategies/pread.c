#include <stdlib.h>

#include "files.h"

static const char *to_the_end(const Setup *setup, int file, Tally *tally) {
    off_t at = 0;
    ssize_t count;
    while ((count = pread(file, setup->memory, setup->block, at)) > 0) {
        tally_block(tally, setup->memory, (size_t)count);
        at += count;
    }
    return count < 0 ? failed() : NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return reading(setup, path, tally, to_the_end); }

static const Strategy pread_blocks = {
    .name = "c/pread", .title = "pread", .call = "pread", .compute_only = "c/consume-block", .effort = 2,
    .parameters = {BLOCK("bytes of the array given to pread")}, .run = run};
REGISTER(pread_blocks)

static const char *piece(const Setup *setup, int file, off_t at, char *into) {
    for (size_t done = 0; done < setup->block;) {
        ssize_t count = pread(file, into + done, setup->block - done, at + (off_t)done);
        if (count < 0) return failed();
        if (count == 0) return "ends before the end of a block";
        done += (size_t)count;
    }
    return NULL;
}

static const char *at_offsets(const Setup *setup, int file, Tally *tally) {
    const char *reason = NULL;
    for (size_t number = 0; !reason && number < setup->accesses; number++) {
        reason = piece(setup, file, (off_t)setup->offsets[number], setup->memory);
        if (!reason) tally_access(tally, setup->memory, setup->block, setup->offsets[number]);
    }
    return reason;
}

static const char *into_new(const Setup *setup, int file, Tally *tally) {
    const char *reason = NULL;
    for (size_t number = 0; !reason && number < setup->accesses; number++) {
        char *block = malloc(setup->block);
        reason = block ? piece(setup, file, (off_t)setup->offsets[number], block) : failed();
        if (!reason) tally_access(tally, block, setup->block, setup->offsets[number]);
        free(block);
    }
    return reason;
}

static const char *run_random(const Setup *setup, const char *path, Tally *tally) { return reading(setup, path, tally, at_offsets); }

static const Strategy pread_random = {
    .name = "c/pread-random", .title = "pread at random offsets, array reused", .call = "pread", .access = "random",
    .compute_only = "c/consume-block", .effort = 2, .parameters = {BLOCK("bytes read at each offset")}, .run = run_random};
REGISTER(pread_random)

static const char *run_new(const Setup *setup, const char *path, Tally *tally) { return reading(setup, path, tally, into_new); }

static const Strategy pread_random_new = {
    .name = "c/pread-random-new", .title = "malloc and pread at random offsets", .call = "malloc, pread", .access = "random",
    .compute_only = "c/consume-block", .buffer = "new", .effort = 2, .parameters = {BLOCK("bytes read at each offset")}, .run = run_new};
REGISTER(pread_random_new)
