#include "pair.h"
#include <string.h>

long length(const char *text) { return (long)strlen(text); }
