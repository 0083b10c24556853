#include "files.h"

static const char *blocks(const Setup *setup, int file, Tally *tally) {
    ssize_t count;
    while ((count = read(file, setup->memory, setup->block)) > 0) tally_block(tally, setup->memory, (size_t)count);
    return count < 0 ? failed() : NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return reading(setup, path, tally, blocks); }

static const Strategy read_blocks = {
    .name = "c/read", .title = "read", .call = "read", .compute_only = "c/consume-block", .effort = 2,
    .parameters = {BLOCK("bytes of the array given to read")}, .run = run};
REGISTER(read_blocks)

/* malloc begins a large block 16 bytes into a page, and some processors copy several times as slowly to there. */
static const Strategy read_aligned = {
    .name = "c/read-aligned", .title = "read, into memory that begins with a page", .call = "read, page-aligned",
    .compute_only = "c/consume-block", .effort = 3, .aligned = 1, .parameters = {BLOCK("bytes of the array given to read")}, .run = run};
REGISTER(read_aligned)

static const char *advised(const Setup *setup, int file, Tally *tally) {
    int error = posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
    return error ? strerror(error) : blocks(setup, file, tally);
}

static const char *run_advised(const Setup *setup, const char *path, Tally *tally) { return reading(setup, path, tally, advised); }

static const Strategy read_advised = {
    .name = "c/read-sequential", .title = "read after POSIX_FADV_SEQUENTIAL", .call = "read, POSIX_FADV_SEQUENTIAL",
    .compute_only = "c/consume-block", .effort = 3, .parameters = {BLOCK("bytes of the array given to read")}, .run = run_advised};
REGISTER(read_advised)
