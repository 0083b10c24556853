#include <ctype.h>
#include <stdio.h>
#include "wordcount.h"

long count_words(const char *path) {
    buffer b;
    long words = 0;
    int within = 0;
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    buffer_open(&b, 1 << 16);
    while ((b.used = fread(b.data, 1, b.size, f)) > 0)
        for (size_t i = 0; i < b.used; i++) {
            int space = isspace((unsigned char)b.data[i]);
            words += !space && !within;
            within = !space;
        }
    buffer_close(&b);
    fclose(f);
    return words;
}

long count_longest(const char *path) {
    FILE *f = fopen(path, "r");
    long longest = 0, now = 0;
    if (!f) return -1;
    for (int c; (c = getc(f)) != EOF; now++)
        if (c == '\n') {
            if (now > longest) longest = now;
            now = -1;
        }
    fclose(f);
    return longest;
}
