#pragma once
#include <stddef.h>

typedef struct buffer { char *data; size_t size, used; } buffer;

int buffer_open(buffer *b, size_t size);
void buffer_close(buffer *b);
long count_words(const char *path);
long count_longest(const char *path);
