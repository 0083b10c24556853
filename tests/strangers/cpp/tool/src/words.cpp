#include "tool/reader.hpp"

std::size_t tool::words_in(const std::string& text, bool& within) {
    std::size_t words = 0;
    for (char c : text) {
        bool space = c == ' ' || c == '\n';
        words += !space && !within;
        within = !space;
    }
    return words;
}
