#include <stdlib.h>
#include "wordcount.h"

int buffer_open(buffer *b, size_t size) {
    b->data = malloc(size);
    b->size = size;
    b->used = 0;
    return b->data ? 0 : -1;
}

void buffer_close(buffer *b) { free(b->data); }
