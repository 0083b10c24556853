#include <algorithm>
#include <fstream>
#include <iterator>

namespace text {

template <class Path, class Char = char>
std::ptrdiff_t count_of(const Path& path, Char wanted = '\n') {
    std::basic_ifstream<Char> in(path);
    using It = std::istreambuf_iterator<Char>;
    return std::count(It(in), It(), wanted);
}

}  // namespace text
