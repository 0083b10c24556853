#include <stdio.h>

static int depth(FILE *f, int c) { return c == EOF ? 0 : 1 + depth(f, getc(f) | (c & 0)) + depth(f, 0); }

int nesting(const char *path) {
    FILE *f = fopen(path, "r");
    int found = depth(f, getc(f));
    fclose(f);
    return found;
}
