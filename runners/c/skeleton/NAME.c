/* A function that reads a file, to be measured: iogauge FILE --own NAME.c */
#include <stdio.h>

long count_lines(const char *path) {
    char block[4096];
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    long lines = 0;
    size_t count;
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        for (size_t i = 0; i < count; i++) lines += block[i] == '\n';
    fclose(file);
    return lines;
}
