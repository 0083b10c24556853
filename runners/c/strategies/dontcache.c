#include "files.h"

#include <sys/uio.h>

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80
#endif

/* A page is read from the device again for each piece of it, so small ones are no offer. */
#define LARGE_BLOCK(what) {"block", 8192, 512, 1 << 30, "bytes", "piece", what}

static const char *blocks(const Setup *setup, int file, Tally *tally) {
    struct iovec into = {setup->memory, setup->block};
    ssize_t count;
    while ((count = preadv2(file, &into, 1, -1, RWF_DONTCACHE)) > 0) tally_block(tally, setup->memory, (size_t)count);
    if (count < 0) return errno == EOPNOTSUPP ? "its file system does not take RWF_DONTCACHE" : failed();
    return NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return reading(setup, path, tally, blocks); }

static const char *written(const Setup *setup, int file, Tally *tally) {
    size_t at = 0;
    while (at < setup->length) {
        size_t left = setup->length - at;
        struct iovec from = {(void *)(setup->payload + at), left < setup->block ? left : setup->block};
        ssize_t count = pwritev2(file, &from, 1, -1, RWF_DONTCACHE);
        if (count < 0) return errno == EOPNOTSUPP ? "its file system does not take RWF_DONTCACHE" : failed();
        at += (size_t)count;
    }
    tally_moved(tally, at);
    return NULL;
}

static const char *run_write(const Setup *setup, const char *path, Tally *tally) { return writing(setup, path, tally, written); }

/* Tried on the runner's own file, which mostly lies on a file system like that of the data. */
static const char *why_not(void) {
    static char byte;
    struct iovec into = {&byte, 1};
    int file = open("/proc/self/exe", O_RDONLY);
    if (file < 0) return "/proc/self/exe cannot be read, on which RWF_DONTCACHE would be tried";
    ssize_t count = preadv2(file, &into, 1, 0, RWF_DONTCACHE);
    close(file);
    return count == 1 ? NULL : "RWF_DONTCACHE needs Linux 6.14 and a file system that takes it (ext4, XFS, btrfs)";
}

static const Strategy dontcache = {
    .name = "c/preadv2-dontcache", .title = "preadv2 with RWF_DONTCACHE", .call = "preadv2, RWF_DONTCACHE",
    .compute_only = "c/consume-block", .effort = 3, .parameters = {LARGE_BLOCK("bytes of the array given to preadv2")},
    .unavailable = why_not, .run = run};
REGISTER(dontcache)

static const Strategy dontcache_write = {
    .name = "c/pwritev2-dontcache", .title = "pwritev2 with RWF_DONTCACHE", .call = "pwritev2, RWF_DONTCACHE",
    .operation = "write", .effort = 3, .parameters = {LARGE_BLOCK("bytes given to one call of pwritev2")},
    .unavailable = why_not, .run = run_write};
REGISTER(dontcache_write)
