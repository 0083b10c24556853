#include "stdio_buffer.h"

/* Whatever stdio still holds is written before the file is made durable. */
static const char *write_stream(const Setup *setup, const char *path, Tally *tally, char *buffer) {
    FILE *file = fopen(path, setup->append ? "a" : "w");
    if (!file) return failed();
    const char *reason = buffer && setvbuf(file, buffer, _IOFBF, setup->buffer) ? failed() : NULL;
    size_t at = 0;
    while (!reason && at < setup->length) {
        size_t left = setup->length - at, piece = left < setup->block ? left : setup->block;
        if (fwrite(setup->payload + at, 1, piece, file) < piece) reason = failed();
        at += piece;
    }
    if (!reason) reason = make_durable_stream(setup, file);
    if (fclose(file) && !reason) reason = failed();
    if (!reason) tally_moved(tally, at);
    return reason;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return write_stream(setup, path, tally, NULL); }

static const char *run_buffered(const Setup *setup, const char *path, Tally *tally) {
    char *buffer = malloc(setup->buffer);
    const char *reason = buffer ? write_stream(setup, path, tally, buffer) : failed();
    free(buffer);
    return reason;
}

static const char *run_bytes(const Setup *setup, const char *path, Tally *tally) {
    FILE *file = fopen(path, setup->append ? "a" : "w");
    if (!file) return failed();
    const char *reason = NULL;
    for (size_t at = 0; !reason && at < setup->length; at++)
        if (putc((unsigned char)setup->payload[at], file) == EOF) reason = failed();
    if (!reason) reason = make_durable_stream(setup, file);
    if (fclose(file) && !reason) reason = failed();
    if (!reason) tally_moved(tally, setup->length);
    return reason;
}

#define WRITES .operation = "write", .durabilities = NO_DSYNC

static const Strategy fwrite_blocks = {
    .name = "c/fwrite", .title = "fwrite", .call = "fwrite", WRITES, .buffer = "new", .effort = 2,
    .parameters = {BLOCK("bytes given to one call of fwrite")}, .run = run};
REGISTER(fwrite_blocks)

static const Strategy fwrite_setvbuf = {
    .name = "c/fwrite-setvbuf", .title = "fwrite after setvbuf", .call = "fwrite, setvbuf", WRITES, .buffer = "new", .effort = 3,
    .parameters = {BLOCK("bytes given to one call of fwrite"), BUFFER(65536, "bytes of the buffer given to setvbuf")}, .run = run_buffered};
REGISTER(fwrite_setvbuf)

static const Strategy putc_bytes = {
    .name = "c/putc", .title = "putc", .call = "putc", .unit = "byte", WRITES, .buffer = "new", .effort = 2, .run = run_bytes};
REGISTER(putc_bytes)
