#include <stddef.h>

size_t blanks(const char *text, size_t length);
