#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

struct counts { unsigned long lines, words, chars; };

static bool is_space(int c) { return isspace(c); }

unsigned long word_count(FILE *fp) {
    struct counts all = {0};
    bool within = false;
    for (int c; (c = fgetc(fp)) != EOF; all.chars++) {
        if (c == '\n') all.lines++;
        if (is_space(c)) within = false;
        else if (!within) within = true, all.words++;
    }
    return all.words;
}

unsigned long word_count_unlocked(FILE *stream) {
    unsigned long words = 0;
    for (int c, within = 0; (c = getc_unlocked(stream)) != EOF;) {
        if (c == ' ' || c == '\n' || c == '\t') within = 0;
        else if (!within) within = 1, words++;
    }
    fclose(stream);
    return words;
}
