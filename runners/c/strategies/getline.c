#include "stdio_buffer.h"

static const char *lines(const Setup *setup, FILE *file, Tally *tally) {
    (void)setup;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, file)) >= 0) {
        if (length && line[length - 1] == '\n') length -= length > 1 && line[length - 2] == '\r' ? 2 : 1;
        tally_line(tally, (size_t)length);
    }
    free(line);
    return feof(file) || ferror(file) ? NULL : failed(); /* no memory */
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return streaming(setup, path, tally, lines); }
static const char *run_buffered(const Setup *setup, const char *path, Tally *tally) { return streaming_buffered(setup, path, tally, lines); }

static const Strategy getline_lines = {
    .name = "c/getline", .title = "getline", .call = "getline", .unit = "line", .sums = "line-byte", .buffer = "new", .effort = 2, .run = run};
REGISTER(getline_lines)

static const Strategy getline_setvbuf = {
    .name = "c/getline-setvbuf", .title = "getline after setvbuf", .call = "getline, setvbuf", .unit = "line", .sums = "line-byte",
    .buffer = "new", .effort = 3, .parameters = {BUFFER(65536, "bytes of the buffer given to setvbuf")}, .run = run_buffered};
REGISTER(getline_setvbuf)
