#include "files.h"

#include <sys/sendfile.h>

typedef const char *(*Between)(const Setup *setup, int from, int to, Tally *tally);

enum { AT_MOST = 1 << 30 }; /* of one call: both take less than 2 GiB */

/* Opens the source and an empty file, and closes both after `body`. */
static const char *copying(const Setup *setup, const char *path, Tally *tally, Between body) {
    int from = open(setup->source, O_RDONLY);
    if (from < 0) return failed();
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const char *reason = to < 0 ? failed() : body(setup, from, to, tally);
    if (to >= 0 && close(to) && !reason) reason = failed();
    close(from);
    return reason;
}

static const char *by_blocks(const Setup *setup, int from, int to, Tally *tally) {
    ssize_t count;
    while ((count = read(from, setup->memory, setup->block)) > 0)
        for (ssize_t at = 0, written; at < count; at += written) {
            written = write(to, setup->memory + at, (size_t)(count - at));
            if (written < 0) return failed();
            tally_moved(tally, (size_t)written);
        }
    return count < 0 ? failed() : NULL;
}

static const char *by_range(const Setup *setup, int from, int to, Tally *tally) {
    (void)setup;
    ssize_t count;
    while ((count = copy_file_range(from, NULL, to, NULL, AT_MOST, 0)) > 0) tally_moved(tally, (size_t)count);
    return count < 0 ? failed() : NULL;
}

static const char *by_sendfile(const Setup *setup, int from, int to, Tally *tally) {
    (void)setup;
    ssize_t count;
    while ((count = sendfile(to, from, NULL, AT_MOST)) > 0) tally_moved(tally, (size_t)count);
    return count < 0 ? failed() : NULL;
}

static const char *run_blocks(const Setup *setup, const char *path, Tally *tally) { return copying(setup, path, tally, by_blocks); }
static const char *run_range(const Setup *setup, const char *path, Tally *tally) { return copying(setup, path, tally, by_range); }
static const char *run_sendfile(const Setup *setup, const char *path, Tally *tally) { return copying(setup, path, tally, by_sendfile); }

static const Strategy read_write = {
    .name = "c/copy-read-write", .title = "read and write in a loop", .call = "read and write", .operation = "copy", .effort = 2,
    .parameters = {BLOCK("bytes of the array that is read into and written from")}, .run = run_blocks};
REGISTER(read_write)

static const Strategy range = {
    .name = "c/copy-file-range", .title = "copy_file_range", .call = "copy_file_range", .operation = "copy", .unit = "file",
    .buffer = "none", .effort = 3, .run = run_range};
REGISTER(range)

static const Strategy by_kernel = {
    .name = "c/sendfile", .title = "sendfile", .call = "sendfile", .operation = "copy", .unit = "file", .buffer = "none", .effort = 3, .run = run_sendfile};
REGISTER(by_kernel)
