/* Lines that come in pieces, as fgets gives them. */
#pragma once

#include "runner.h"

/* What is known of a line whose end has not come yet. */
typedef struct LineInPieces {
    size_t before; /* bytes in earlier pieces */
    int ended_by_return;
} LineInPieces;

/* A piece of a line, or all of it. A line that is longer than the array comes in several, and counts once. */
static inline void tally_piece(Tally *tally, LineInPieces *line, const char *piece) {
    size_t length = strlen(piece);
    if (length && piece[length - 1] == '\n') {
        int follows = length > 1 ? piece[length - 2] == '\r' : line->ended_by_return;
        tally_line(tally, line->before + length - (follows ? 2 : 1));
        line->before = 0;
        line->ended_by_return = 0;
    } else {
        line->before += length;
        line->ended_by_return = length && piece[length - 1] == '\r';
    }
}

/* The last line may have no end. */
static inline void tally_last_piece(Tally *tally, const LineInPieces *line) {
    if (line->before) tally_line(tally, line->before);
}
