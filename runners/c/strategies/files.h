/* Opening and closing around what a strategy does. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner.h"

typedef const char *(*OnFile)(const Setup *setup, int file, Tally *tally);
typedef const char *(*OnStream)(const Setup *setup, FILE *file, Tally *tally);

/* Opens a file to read it, and closes it after `body`. */
static inline const char *reading(const Setup *setup, const char *path, Tally *tally, OnFile body) {
    int file = open(path, O_RDONLY);
    if (file < 0) return failed();
    const char *reason = body(setup, file, tally);
    close(file);
    return reason;
}

static inline const char *make_durable(const Setup *setup, int file) {
    return (setup->fsync && fsync(file)) || (setup->fdatasync && fdatasync(file)) ? failed() : NULL;
}

/* The same for what stdio may still hold. */
static inline const char *make_durable_stream(const Setup *setup, FILE *file) {
    if (!setup->fsync && !setup->fdatasync) return NULL;
    return fflush(file) ? failed() : make_durable(setup, fileno(file));
}

/* Opens a file as the setup says, makes it durable, and closes it after `body` has written to it. */
static inline const char *writing(const Setup *setup, const char *path, Tally *tally, OnFile body) {
    int flags = O_WRONLY | O_CREAT | (setup->append ? O_APPEND : O_TRUNC) | (setup->dsync ? O_DSYNC : 0);
    int file = open(path, flags, 0666);
    if (file < 0) return failed();
    const char *reason = body(setup, file, tally);
    if (!reason) reason = make_durable(setup, file);
    if (close(file) && !reason) reason = failed();
    return reason;
}

/* The whole payload by write, in blocks. */
static inline const char *write_blocks(const Setup *setup, int file, Tally *tally) {
    size_t at = 0;
    while (at < setup->length) {
        size_t left = setup->length - at;
        ssize_t count = write(file, setup->payload + at, left < setup->block ? left : setup->block);
        if (count < 0) return failed();
        at += (size_t)count;
    }
    tally_moved(tally, at);
    return NULL;
}

/* As `reading`, with stdio. */
static inline const char *streaming(const Setup *setup, const char *path, Tally *tally, OnStream body) {
    FILE *file = fopen(path, "r");
    if (!file) return failed();
    const char *reason = body(setup, file, tally);
    if (!reason && ferror(file)) reason = failed();
    fclose(file);
    return reason;
}

/* The size of a regular file; of others -1, which may claim to be empty. */
static inline off_t size_of(int file) {
    struct stat about;
    if (fstat(file, &about)) return -1;
    if (S_ISREG(about.st_mode)) return about.st_size;
    errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    return -1;
}
