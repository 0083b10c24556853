#include <stdio.h>
#include <unistd.h>

int count(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int lines = 0;
    for (int c; (c = getc(file)) != EOF;) lines += c == '\n';
    fclose(file);
    return lines;
}

int forks_and_returns(const char *path) {
    fork();
    return count(path);
}
