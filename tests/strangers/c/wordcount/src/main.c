#include <stdio.h>
#include "wordcount.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("%ld %ld %s\n", count_words(argv[i]), count_longest(argv[i]), argv[i]);
    return 0;
}
