#include <stdio.h>
#include <string.h>

/* The number behind the last '=' of each line, added. There is none in some lines. */
long sum_values(const char *path) {
    char line[512];
    long sum = 0;
    FILE *f = fopen(path, "r");
    while (fgets(line, sizeof line, f)) {
        char *at = strrchr(line, '=');
        sum += at[1] - '0';
    }
    fclose(f);
    return sum;
}

long count_bytes(const char *path) {
    long n = 0;
    FILE *f = fopen(path, "r");
    while (getc(f) != EOF) n++;
    fclose(f);
    return n;
}
