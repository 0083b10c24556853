/* For code of the user's own (docs/your-code.md): a function of a path hands all that it reads to `tally_block`, or each
   line's length without its end to `tally_line`, and returns NULL, or why it failed. WAY or WAY_OF_LINES, behind it, makes
   it a strategy; WAY_OF_ANYTHING one that hands over nothing. */
#pragma once

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "runner.h"

#ifdef __cplusplus
#define OWN_PREFIX "cpp/own-"
#else
#define OWN_PREFIX "c/own-"
#endif

typedef const char *(*OwnWay)(const char *path, Tally *tally);

/* The name of a function as a word of the wire: small letters, joined by `-`. */
static inline char *own_text(const char *before, const char *name, const char *after, int as_word) {
    char *text = (char *)malloc(strlen(before) + strlen(name) + strlen(after) + 1);
    if (!text) abort();
    sprintf(text, "%s%s%s", before, name, after);
    for (char *at = text + strlen(before); as_word && *at; at++) *at = *at == '_' ? '-' : (char)tolower((unsigned char)*at);
    return text;
}

static inline void own_way(Strategy *way, const char *name, const char *sums, Operation run) {
    way->name = own_text(OWN_PREFIX, name, "", 1);
    way->call = own_text("", name, "()", 0);
    way->title = own_text("", name, "(), of your own", 0);
    way->unit = !sums ? "block" : strcmp(sums, "nothing") ? "line" : "file";
    way->sums = sums;
    way->effort = 1;
    way->run = run;
    register_strategy(way);
}

#define OWN_WAY(function, sums)                                                                    \
    static const char *run_##function(const Setup *setup, const char *path, Tally *tally) {        \
        (void)setup;                                                                               \
        return function(path, tally);                                                              \
    }                                                                                              \
    static Strategy way_##function;                                                                \
    __attribute__((constructor)) static void add_##function(void) {                                \
        own_way(&way_##function, #function, sums, run_##function);                                 \
    }
#define WAY(function) OWN_WAY(function, NULL)
#define WAY_OF_LINES(function) OWN_WAY(function, "line-byte")
#define WAY_OF_ANYTHING(function) OWN_WAY(function, "nothing")
