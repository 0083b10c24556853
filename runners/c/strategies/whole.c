/* The whole file in one array that is new for each. */
#include "stdio_buffer.h"

static const char *by_read(const Setup *setup, int file, Tally *tally) {
    (void)setup;
    off_t size = size_of(file);
    if (size <= 0) return size ? failed() : NULL;
    char *all = malloc((size_t)size);
    if (!all) return failed();
    size_t have = 0;
    ssize_t count = 1;
    while (have < (size_t)size && (count = read(file, all + have, (size_t)size - have)) > 0) have += (size_t)count; /* 2 GiB at most with one */
    const char *reason = count < 0 ? failed() : NULL;
    if (!reason) tally_block(tally, all, have);
    free(all);
    return reason;
}

static const char *by_fread(const Setup *setup, FILE *file, Tally *tally) {
    (void)setup;
    if (size_of(fileno(file)) < 0 || fseeko(file, 0, SEEK_END)) return failed();
    off_t size = ftello(file);
    rewind(file);
    char *all = malloc((size_t)size + 1);
    if (!all) return failed();
    tally_block(tally, all, fread(all, 1, (size_t)size, file));
    free(all);
    return NULL;
}

static const char *run_read(const Setup *setup, const char *path, Tally *tally) { return reading(setup, path, tally, by_read); }
static const char *run_fread(const Setup *setup, const char *path, Tally *tally) { return streaming(setup, path, tally, by_fread); }

#define WHOLE .unit = "file", .compute_only = "c/consume-block", .memory_per_file_byte = 1

static const Strategy read_whole = {
    .name = "c/read-whole", .title = "fstat, malloc and read of the whole file", .call = "fstat, malloc, read", WHOLE, .buffer = "new", .effort = 3,
    .run = run_read};
REGISTER(read_whole)

static const Strategy fread_whole = {
    .name = "c/fread-whole", .title = "fseek, ftell, malloc, fread of the whole file", .call = "fseek, ftell, malloc, fread", WHOLE,
    .buffer = "new", .effort = 2, .run = run_fread};
REGISTER(fread_whole)
