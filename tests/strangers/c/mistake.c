#include <stdio.h>

long size_of(const char *path) {
    FILE *f = fopen(path, "r");
    long size = 0;
    while (getc(f) != EOF) size++;
    fclose(file);
    return size;
}
