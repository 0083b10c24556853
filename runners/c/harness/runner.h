/* What a strategy is, and how it tells what it delivered. For C and for C++. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum Consume { CONSUME_NONE, CONSUME_TOUCH, CONSUME_SUM };
enum { CACHE_LINE = 64 };

/* Counts and adds what the operations of one span deliver. */
typedef struct Tally {
    enum Consume kind;
    uint64_t mask;   /* a byte counts where offset & mask is 0 */
    uint64_t offset; /* in the current file, in bytes or lines */
    uint64_t before; /* of the files before it */
    uint64_t sum;
    uint64_t result; /* a number that is the same for the same result of a function of the user's */
    int has_result;
} Tally;

/* The next bytes of the file. */
void tally_block(Tally *tally, const void *bytes, size_t count);

/* A piece of the file at a position of it, with random access. */
void tally_access(Tally *tally, const void *bytes, size_t count, uint64_t position);

/* One byte, for strategies that get them one by one. */
static inline void tally_byte(Tally *tally, unsigned char byte) {
    if ((tally->offset & tally->mask) == 0) tally->sum += byte;
    tally->offset++;
}

/* A line of so many bytes without its end. */
static inline void tally_line(Tally *tally, size_t length) {
    tally->sum += length;
    tally->offset++;
}

/* So many bytes were written, or copied. */
static inline void tally_moved(Tally *tally, size_t count) { tally->offset += count; }

typedef struct Parameter {
    const char *name;
    int64_t normal, least, most;
    const char *unit, *role, *says;
} Parameter;

/* What `open` was given. */
typedef struct Setup {
    size_t block, buffer; /* the parameters, 0 where there is none */
    char *memory;         /* of the size of a block, for a strategy that reads, copies or bypasses the cache */
    const char *payload;  /* what to write, or to read in memory */
    size_t length;        /* of the payload */
    const char *source;   /* what to copy: a path */
    const uint64_t *offsets;
    size_t accesses; /* how many offsets */
    int append;      /* to the end of the file; else it is emptied */
    int fsync, fdatasync, dsync;
    const void *own; /* a function of the user's, as it stands */
} Setup;

/* Works on one file, closes it, and returns NULL or why it failed. */
typedef const char *(*Operation)(const Setup *setup, const char *path, Tally *tally);

enum Durabilities { EVERY_DURABILITY, NO_DSYNC };

/* One way to do the I/O. docs/wire.md describes the fields. A missing one has the value of a contestant that reads
   blocks of bytes of a file from its start to its end. */
typedef struct Strategy {
    const char *name, *title, *call;
    const char *operation, *unit, *medium, *access, *sums, *role, *format;
    const char *compute_only;
    const char *buffer; /* missing: reused, or none where the API moves nothing */
    const char *trips_on[2]; /* what a file may have that it reads otherwise than it is, or refuses */
    int effort;
    int mapped;
    int moves_nothing; /* the API itself moves no byte: consume none would not be honest */
    int only_truncate;
    int bypasses_cache;
    int aligned; /* setup->memory begins with a page, as that of what bypasses the cache does */
    enum Durabilities durabilities;
    double memory_per_file_byte;
    Parameter parameters[2];
    const char *(*unavailable)(void); /* why it cannot run here, or NULL */
    Operation run;
    const char *instead_of; /* of a function of the user's: the strategy that takes its result for what it read */
    const char *refused;    /* why it is not called, or NULL */
    const void *own;
} Strategy;

void register_strategy(const Strategy *strategy);

#define REGISTER(strategy)                                                                   \
    __attribute__((constructor)) static void register_##strategy(void) {                     \
        register_strategy(&strategy);                                                        \
    }

#define BLOCK(what) {"block", 8192, 1, 1 << 30, "bytes", "piece", what}
#define BUFFER(size, what) {"buffer", size, 1, 1 << 30, "bytes", "buffer", what}

/* Why the last call failed. */
static inline const char *failed(void) { return errno ? strerror(errno) : "failed, and did not say why"; }

#ifdef __cplusplus
}
#endif
