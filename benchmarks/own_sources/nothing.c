int nothing(const char *path) { return path != 0; }
