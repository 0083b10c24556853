#include "files.h"

#define WRITES .operation = "write", .parameters = {BLOCK("bytes given to one call of write")}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return writing(setup, path, tally, write_blocks); }

static const Strategy write_plain = {.name = "c/write", .title = "write", .call = "write", WRITES, .effort = 2, .run = run};
REGISTER(write_plain)

/* The data are durable, and of what the file system knows about the file only what is needed to read them. */
static const char *synced(const Setup *setup, int file, Tally *tally) {
    const char *reason = write_blocks(setup, file, tally);
    return reason || !fdatasync(file) ? reason : failed();
}

static const char *run_synced(const Setup *setup, const char *path, Tally *tally) {
    Setup once = *setup;
    once.fsync = 0; /* fdatasync takes its place */
    return writing(&once, path, tally, synced);
}

static const Strategy write_fdatasync = {
    .name = "c/write-fdatasync", .title = "write, fdatasync in place of fsync", .call = "write, fdatasync", WRITES, .effort = 2,
    .durabilities = ONLY_FSYNC, .run = run_synced};
REGISTER(write_fdatasync)

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
    if (!reason && setup->fsync && fsync(file)) reason = failed();
    if (close(file) && !reason) reason = failed();
    return reason;
}

static const Strategy overwrite = {
    .name = "c/overwrite", .title = "write over what is there, then ftruncate", .call = "write, overwriting", WRITES, .effort = 3,
    .only_truncate = 1, .durabilities = NO_DSYNC, .run = run_over}; /* O_DSYNC says nothing of the end that is cut off */
REGISTER(overwrite)
