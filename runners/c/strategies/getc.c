#include "stdio_buffer.h"

static const char *locked(const Setup *setup, FILE *file, Tally *tally) {
    (void)setup;
    int byte;
    while ((byte = getc(file)) != EOF) tally_byte(tally, (unsigned char)byte);
    return NULL;
}

static const char *unlocked(const Setup *setup, FILE *file, Tally *tally) {
    (void)setup;
    int byte;
    while ((byte = getc_unlocked(file)) != EOF) tally_byte(tally, (unsigned char)byte);
    return NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return streaming(setup, path, tally, locked); }
static const char *run_unlocked(const Setup *setup, const char *path, Tally *tally) { return streaming(setup, path, tally, unlocked); }
static const char *run_buffered(const Setup *setup, const char *path, Tally *tally) { return streaming_buffered(setup, path, tally, locked); }

static const Strategy getc_bytes = {
    .name = "c/getc", .title = "getc", .call = "getc", .unit = "byte", .compute_only = "c/consume-byte", .buffer = "new", .effort = 2, .run = run};
REGISTER(getc_bytes)

static const Strategy getc_without_lock = {
    .name = "c/getc-unlocked", .title = "getc_unlocked", .call = "getc_unlocked", .unit = "byte", .compute_only = "c/consume-byte",
    .buffer = "new", .effort = 2, .run = run_unlocked};
REGISTER(getc_without_lock)

static const Strategy getc_setvbuf = {
    .name = "c/getc-setvbuf", .title = "getc after setvbuf", .call = "getc, setvbuf", .unit = "byte", .compute_only = "c/consume-byte",
    .buffer = "new", .effort = 3, .parameters = {BUFFER(65536, "bytes of the buffer given to setvbuf")}, .run = run_buffered};
REGISTER(getc_setvbuf)
