#include "files.h"

#define WRITES .operation = "write", .parameters = {BLOCK("bytes given to one call of write")}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return writing(setup, path, tally, write_blocks); }

static const Strategy write_plain = {.name = "c/write", .title = "write", .call = "write", WRITES, .effort = 2, .run = run};
REGISTER(write_plain)

/* Blocks of the device are found before; the size of the file grows with each write, so that it can be appended to. */
static const char *reserved(const Setup *setup, int file, Tally *tally) {
    off_t end = setup->append ? lseek(file, 0, SEEK_END) : 0;
    if (end < 0 || (setup->length && fallocate(file, FALLOC_FL_KEEP_SIZE, end, (off_t)setup->length))) return failed();
    return write_blocks(setup, file, tally);
}

static const char *run_reserved(const Setup *setup, const char *path, Tally *tally) { return writing(setup, path, tally, reserved); }

static const Strategy write_fallocate = {
    .name = "c/write-fallocate", .title = "write after fallocate, FALLOC_FL_KEEP_SIZE", .call = "write, fallocate", WRITES, .effort = 3,
    .run = run_reserved};
REGISTER(write_fallocate)

static const char *grown(const Setup *setup, int file, Tally *tally) {
    int error = setup->length ? posix_fallocate(file, 0, (off_t)setup->length) : 0;
    return error ? strerror(error) : write_blocks(setup, file, tally);
}

static const char *run_grown(const Setup *setup, const char *path, Tally *tally) { return writing(setup, path, tally, grown); }

static const Strategy write_posix_fallocate = {
    .name = "c/write-posix-fallocate", .title = "write after posix_fallocate", .call = "write, posix_fallocate", WRITES, .effort = 3,
    .only_truncate = 1, .run = run_grown};
REGISTER(write_posix_fallocate)

/* Over what is there; a longer file is cut off at the end. */
static const char *run_over(const Setup *setup, const char *path, Tally *tally) {
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    if (file < 0) return failed();
    const char *reason = write_blocks(setup, file, tally);
    if (!reason && ftruncate(file, (off_t)setup->length)) reason = failed();
    if (!reason) reason = make_durable(setup, file);
    if (close(file) && !reason) reason = failed();
    return reason;
}

static const Strategy overwrite = {
    .name = "c/overwrite", .title = "write over what is there, then ftruncate", .call = "write, overwriting", WRITES, .effort = 3,
    .only_truncate = 1, .durabilities = NO_DSYNC, .run = run_over}; /* O_DSYNC says nothing of the end that is cut off */
REGISTER(overwrite)
