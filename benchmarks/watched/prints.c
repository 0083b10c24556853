/* Writes short lines to a file, with or without a buffer. */
#include <stdio.h>

int main(int count, char **words) {
    FILE *out = fopen("out", "w");
    setvbuf(out, NULL, words[1][0] == 'b' ? _IONBF : _IOFBF, 65536);
    for (int i = 0; i < 1000000; i++) fprintf(out, "record number %d\n", i);
    return fclose(out);
}
