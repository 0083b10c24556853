/* zlib reads gzip files. build.sh says whether it is here. */
#include "files.h"
#include "lines.h"

#ifdef WITH_ZLIB
#include <zlib.h>

static const char *why_not(void) { return NULL; }

typedef const char *(*OnPacked)(const Setup *setup, gzFile file, Tally *tally);

static const char *reason_of(int code) {
    if (code == Z_ERRNO) return failed();
    if (code == Z_BUF_ERROR) return "ends before the end of its gzip data";
    return code == Z_MEM_ERROR ? "not enough memory" : "its gzip data are damaged";
}

/* As `streaming`, of a gzip file. What is none would be read as it is. */
static const char *unpacking(const Setup *setup, const char *path, Tally *tally, OnPacked body) {
    gzFile file = gzopen(path, "r");
    if (!file) return failed();
    if (setup->buffer) gzbuffer(file, (unsigned)setup->buffer);
    const char *reason = gzdirect(file) ? "is no gzip file" : body(setup, file, tally);
    int code;
    gzerror(file, &code);
    if (!reason && code < 0) reason = reason_of(code);
    code = gzclose(file);
    return !reason && code != Z_OK ? reason_of(code) : reason;
}

static const char *blocks(const Setup *setup, gzFile file, Tally *tally) {
    int count;
    while ((count = gzread(file, setup->memory, (unsigned)setup->block)) > 0) tally_block(tally, setup->memory, (size_t)count);
    return NULL;
}

static const char *lines(const Setup *setup, gzFile file, Tally *tally) {
    LineInPieces line = {0, 0};
    while (gzgets(file, setup->memory, (int)setup->block)) tally_piece(tally, &line, setup->memory);
    tally_last_piece(tally, &line);
    return NULL;
}

static const char *run(const Setup *setup, const char *path, Tally *tally) { return unpacking(setup, path, tally, blocks); }
static const char *run_lines(const Setup *setup, const char *path, Tally *tally) { return unpacking(setup, path, tally, lines); }
#else
static const char *why_not(void) { return "zlib was not found when the runner was built (Debian: apt install zlib1g-dev; then iogauge clean)"; }
static const char *run(const Setup *setup, const char *path, Tally *tally) { return (void)setup, (void)path, (void)tally, why_not(); }
#define run_lines run
#endif

#define UNPACKS .format = "gzip", .buffer = "new", .unavailable = why_not

static const Strategy gzread_blocks = {
    .name = "c/gzread", .title = "gzopen, gzread", .call = "gzread", UNPACKS, .compute_only = "c/consume-block", .effort = 2,
    .parameters = {BLOCK("bytes of the array given to gzread")}, .run = run};
REGISTER(gzread_blocks)

/* zlib takes twice as much as it is given, and no less than 8 bytes. */
static const Strategy gzread_gzbuffer = {
    .name = "c/gzread-gzbuffer", .title = "gzopen, gzbuffer, gzread", .call = "gzread, gzbuffer", UNPACKS, .compute_only = "c/consume-block",
    .effort = 3, .parameters = {BLOCK("bytes of the array given to gzread"), {"buffer", 65536, 8, 1 << 28, "bytes", "buffer", "bytes of packed data, given to gzbuffer"}},
    .run = run};
REGISTER(gzread_gzbuffer)

static const Strategy gzgets_lines = {
    .name = "c/gzgets", .title = "gzopen, gzgets", .call = "gzgets", .unit = "line", .sums = "line-byte", UNPACKS, .effort = 2,
    .trips_on = {"nul"}, /* as fgets */
    .parameters = {{"block", 4096, 2, 1 << 30, "bytes", "piece", "bytes of the array given to gzgets"}}, .run = run_lines};
REGISTER(gzgets_lines)
