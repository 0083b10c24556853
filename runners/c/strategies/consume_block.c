/* The compute-only variants: consuming alone. */
#include "runner.h"

static const char *blocks(const Setup *setup, const char *path, Tally *tally) {
    (void)path;
    for (size_t at = 0; at < setup->length; at += setup->block) {
        size_t left = setup->length - at;
        tally_block(tally, setup->payload + at, left < setup->block ? left : setup->block);
    }
    return NULL;
}

static const char *bytes(const Setup *setup, const char *path, Tally *tally) {
    (void)path;
    for (size_t at = 0; at < setup->length; at++) tally_byte(tally, (unsigned char)setup->payload[at]);
    return NULL;
}

static const Strategy consume_block = {
    .name = "c/consume-block", .title = "consuming blocks of memory", .call = "consuming blocks of memory",
    .medium = "memory", .role = "compute_only", .effort = 2,
    .parameters = {BLOCK("bytes consumed at a time")}, .run = blocks};
REGISTER(consume_block)

static const Strategy consume_byte = {
    .name = "c/consume-byte", .title = "consuming memory byte by byte", .call = "consuming memory byte by byte",
    .unit = "byte", .medium = "memory", .role = "compute_only", .effort = 2, .run = bytes};
REGISTER(consume_byte)
