#include "files.h"

#include <sys/mman.h>

enum { NO_ADVICE = -1 };

/* The whole file mapped; `at_offsets` says which part of it is looked at. */
static const char *map(const Setup *setup, int file, Tally *tally, int flags, int advice, int at_offsets) {
    off_t size = size_of(file);
    if (size <= 0) return size ? failed() : NULL; /* an empty file cannot be mapped */
    char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED | flags, file, 0);
    if (data == MAP_FAILED) return failed();
    const char *reason = advice != NO_ADVICE && madvise(data, (size_t)size, advice) ? failed() : NULL;
    if (!reason && !at_offsets) tally_block(tally, data, (size_t)size);
    for (size_t number = 0; at_offsets && !reason && number < setup->accesses; number++) {
        uint64_t at = setup->offsets[number];
        if (at + setup->block > (uint64_t)size)
            reason = "ends before the end of a block";
        else
            tally_access(tally, data + at, setup->block, at);
    }
    if (munmap(data, (size_t)size) && !reason) reason = failed();
    return reason;
}

#define WAY(id, flags, advice, at_offsets)                                                                    \
    static const char *id##_body(const Setup *setup, int file, Tally *tally) {                                \
        return map(setup, file, tally, flags, advice, at_offsets);                                            \
    }                                                                                                         \
    static const char *id(const Setup *setup, const char *path, Tally *tally) {                               \
        return reading(setup, path, tally, id##_body);                                                        \
    }

#define MAPS .unit = "file", .companion = "c/consume-block", .effort = 4, .mapped = 1, .moves_nothing = 1

WAY(plain, 0, NO_ADVICE, 0)
static const Strategy mmap_plain = {.name = "c/mmap", .title = "mmap of the whole file", .call = "mmap", MAPS, .run = plain};
REGISTER(mmap_plain)

WAY(sequential, 0, MADV_SEQUENTIAL, 0)
static const Strategy mmap_sequential = {
    .name = "c/mmap-sequential", .title = "mmap with MADV_SEQUENTIAL", .call = "mmap, MADV_SEQUENTIAL", MAPS, .run = sequential};
REGISTER(mmap_sequential)

WAY(willneed, 0, MADV_WILLNEED, 0)
static const Strategy mmap_willneed = {
    .name = "c/mmap-willneed", .title = "mmap with MADV_WILLNEED", .call = "mmap, MADV_WILLNEED", MAPS, .run = willneed};
REGISTER(mmap_willneed)

WAY(populate, MAP_POPULATE, NO_ADVICE, 0)
static const Strategy mmap_populate = {
    .name = "c/mmap-populate", .title = "mmap with MAP_POPULATE", .call = "mmap, MAP_POPULATE", MAPS, .run = populate};
REGISTER(mmap_populate)

WAY(at_random, 0, NO_ADVICE, 1)
static const Strategy mmap_random = {
    .name = "c/mmap-random", .title = "mmap, random offsets, not copied", .call = "mmap", .access = "random",
    .companion = "c/consume-block", .effort = 4, .mapped = 1, .moves_nothing = 1,
    .parameters = {BLOCK("bytes looked at from each offset on")}, .run = at_random};
REGISTER(mmap_random)
