#include <stdio.h>

/* As deep as brackets are nested; without any it never ends. */
static int depth(FILE *f, const char *outer) {
    char here[512];
    snprintf(here, sizeof here, "%.500s(", outer);
    int c = getc(f);
    return c == ')' ? 0 : 1 + depth(f, here) + (here[1] == '(');
}

int nesting(const char *path) {
    FILE *f = fopen(path, "r");
    int found = depth(f, "");
    fclose(f);
    return found;
}
