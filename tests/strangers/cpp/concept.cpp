#include <concepts>
#include <fstream>
#include <istream>
#include <ranges>
#include <span>
#include <string>

template <std::derived_from<std::istream> In>
auto letters(In& in) -> std::size_t {
    std::size_t n = 0;
    char block[4096];
    while (in.read(block, sizeof block) || in.gcount())
        for (char c : std::span(block, static_cast<std::size_t>(in.gcount()))) n += c >= 'a' && c <= 'z';
    return n;
}

std::size_t capitals(auto& stream) requires std::derived_from<std::remove_reference_t<decltype(stream)>, std::istream> {
    std::size_t n = 0;
    for (std::string line; std::getline(stream, line);)
        for (char c : line | std::views::filter([](char c) { return c >= 'A' && c <= 'Z'; })) n += c != 0;
    return n;
}
