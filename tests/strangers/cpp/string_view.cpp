#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

[[nodiscard]] auto count_tabs(std::string_view file_name) noexcept -> std::size_t {
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(std::string(file_name).c_str(), "rb"), std::fclose);
    if (!file) return 0;
    std::size_t found = 0;
    char block[1 << 14];
    while (auto got = std::fread(block, 1, sizeof block, file.get()))
        for (char c : std::string_view(block, got)) found += c == '\t';
    return found;
}
