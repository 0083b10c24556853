#include "stdio_buffer.h"

static const char *blocks(const Setup *setup, FILE *file, Tally *tally) {
    size_t count;
    while ((count = fread(setup->memory, 1, setup->block, file)) > 0) tally_block(tally, setup->memory, count);
    return NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return streaming(setup, path, tally, blocks); }

static const Strategy fread_blocks = {
    .name = "c/fread", .title = "fread", .call = "fread", .compute_only = "c/consume-block", .buffer = "new", .effort = 2,
    .parameters = {BLOCK("bytes of the array given to fread")}, .run = run};
REGISTER(fread_blocks)

static const char *run_buffered(const Setup *setup, const char *path, Tally *tally) { return streaming_buffered(setup, path, tally, blocks); }

static const Strategy fread_setvbuf = {
    .name = "c/fread-setvbuf", .title = "fread after setvbuf", .call = "fread, setvbuf", .compute_only = "c/consume-block", .buffer = "new", .effort = 3,
    .parameters = {BLOCK("bytes of the array given to fread"), BUFFER(65536, "bytes of the buffer given to setvbuf")}, .run = run_buffered};
REGISTER(fread_setvbuf)
