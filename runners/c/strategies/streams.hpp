// Opening and closing around what a strategy of C++ does.
#pragma once

#include <fstream>
#include <vector>

#include "runner.h"

// A directory can be opened to be read; the error comes with the first byte. Streams keep an error, but not its reason.
template <class Body> const char *reading(const char *path, Body body) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return failed();
    body(file);
    return file.bad() ? failed() : nullptr;
}

// The same with a larger stream buffer, which has to be set before the file is open.
template <class Body> const char *reading_buffered(const Setup *setup, const char *path, Body body) {
    errno = 0;
    std::vector<char> buffer(setup->buffer);
    std::ifstream file;
    file.rdbuf()->pubsetbuf(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    file.open(path, std::ios::binary);
    if (!file) return failed();
    body(file);
    return file.bad() ? failed() : nullptr;
}
