#include "files.h"

#include <sys/mman.h>

enum { NO_ADVICE = -1 };

typedef enum { WHOLE, BORROWED, COPIED } Part; /* of the mapping that is looked at: pieces of it where they lie, or copied */

/* The whole file mapped once. */
static const char *map(const Setup *setup, int file, Tally *tally, int flags, int advice, Part part) {
    off_t size = size_of(file);
    if (size <= 0) return size ? failed() : NULL; /* an empty file cannot be mapped */
    char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED | flags, file, 0);
    if (data == MAP_FAILED) return failed();
    const char *reason = advice != NO_ADVICE && madvise(data, (size_t)size, advice) ? failed() : NULL;
    if (!reason && part == WHOLE) tally_block(tally, data, (size_t)size);
    for (size_t number = 0; part != WHOLE && !reason && number < setup->accesses; number++) {
        uint64_t at = setup->offsets[number];
        if (at + setup->block > (uint64_t)size) {
            reason = "ends before the end of a block";
            break;
        }
        const char *piece = part == COPIED ? memcpy(setup->memory, data + at, setup->block) : data + at;
        tally_access(tally, piece, setup->block, at);
    }
    if (munmap(data, (size_t)size) && !reason) reason = failed();
    return reason;
}

/* Each piece mapped alone. */
static const char *map_each(const Setup *setup, int file, Tally *tally) {
    off_t size = size_of(file);
    if (size < 0) return failed();
    uint64_t within = (uint64_t)sysconf(_SC_PAGESIZE) - 1; /* a mapping begins with a page */
    for (size_t number = 0; number < setup->accesses; number++) {
        uint64_t at = setup->offsets[number], skipped = at & within;
        if (at + setup->block > (uint64_t)size) return "ends before the end of a block";
        size_t length = skipped + setup->block;
        char *data = mmap(NULL, length, PROT_READ, MAP_SHARED, file, (off_t)(at - skipped));
        if (data == MAP_FAILED) return failed();
        tally_access(tally, data + skipped, setup->block, at);
        if (munmap(data, length)) return failed();
    }
    return NULL;
}

#define WAY(id, flags, advice, part)                                                                          \
    static const char *id##_body(const Setup *setup, int file, Tally *tally) {                                \
        return map(setup, file, tally, flags, advice, part);                                                  \
    }                                                                                                         \
    static const char *id(const Setup *setup, const char *path, Tally *tally) {                               \
        return reading(setup, path, tally, id##_body);                                                        \
    }

#define MAPS .unit = "file", .compute_only = "c/consume-block", .effort = 4, .mapped = 1, .moves_nothing = 1

WAY(plain, 0, NO_ADVICE, WHOLE)
static const Strategy mmap_plain = {.name = "c/mmap", .title = "mmap of the whole file", .call = "mmap", MAPS, .run = plain};
REGISTER(mmap_plain)

WAY(sequential, 0, MADV_SEQUENTIAL, WHOLE)
static const Strategy mmap_sequential = {
    .name = "c/mmap-sequential", .title = "mmap with MADV_SEQUENTIAL", .call = "mmap, MADV_SEQUENTIAL", MAPS, .run = sequential};
REGISTER(mmap_sequential)

WAY(willneed, 0, MADV_WILLNEED, WHOLE)
static const Strategy mmap_willneed = {
    .name = "c/mmap-willneed", .title = "mmap with MADV_WILLNEED", .call = "mmap, MADV_WILLNEED", MAPS, .run = willneed};
REGISTER(mmap_willneed)

WAY(populate, MAP_POPULATE, NO_ADVICE, WHOLE)
static const Strategy mmap_populate = {
    .name = "c/mmap-populate", .title = "mmap with MAP_POPULATE", .call = "mmap, MAP_POPULATE", MAPS, .run = populate};
REGISTER(mmap_populate)

#define PIECES .access = "random", .compute_only = "c/consume-block", .effort = 4, .mapped = 1
#define LOOKED_AT .moves_nothing = 1, .parameters = {BLOCK("bytes looked at from each offset on")}

WAY(at_random, 0, NO_ADVICE, BORROWED)
static const Strategy mmap_random = {
    .name = "c/mmap-random", .title = "mmap, random offsets, not copied", .call = "mmap", PIECES, LOOKED_AT, .run = at_random};
REGISTER(mmap_random)

WAY(at_random_advised, 0, MADV_RANDOM, BORROWED)
static const Strategy mmap_random_advised = {
    .name = "c/mmap-random-advised", .title = "mmap with MADV_RANDOM, random offsets, not copied", .call = "mmap, MADV_RANDOM",
    PIECES, LOOKED_AT, .run = at_random_advised};
REGISTER(mmap_random_advised)

WAY(at_random_copied, 0, NO_ADVICE, COPIED)
static const Strategy mmap_random_copied = {
    .name = "c/mmap-random-copied", .title = "mmap, random offsets, copied by memcpy", .call = "mmap, memcpy", PIECES,
    .parameters = {BLOCK("bytes copied from each offset on")}, .run = at_random_copied};
REGISTER(mmap_random_copied)

static const char *each(const Setup *setup, const char *path, Tally *tally) { return reading(setup, path, tally, map_each); }

static const Strategy mmap_each = {
    .name = "c/mmap-each", .title = "mmap of each piece alone, not copied", .call = "mmap and munmap, each piece", PIECES, LOOKED_AT,
    .run = each};
REGISTER(mmap_each)
