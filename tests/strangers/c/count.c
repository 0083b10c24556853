#include <stdio.h>

long count_lines(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    long lines = 0;
    int c;
    while ((c = getc(file)) != EOF) lines += c == '\n';
    fclose(file);
    return lines;
}
