#include "blanks.h"

size_t blanks(const char *text, size_t length) {
    size_t found = 0;
    for (size_t at = 0; at < length; at++) found += text[at] == ' ';
    return found;
}
