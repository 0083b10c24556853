#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

std::uintmax_t bytes_in(const std::filesystem::path& path, std::error_code& ec) {
    int fd = ::open(path.c_str(), O_RDONLY);
    if (fd < 0) {
        ec.assign(errno, std::generic_category());
        return 0;
    }
    std::uintmax_t total = 0;
    char block[65536];
    for (ssize_t got; (got = ::read(fd, block, sizeof block)) > 0;) total += static_cast<std::uintmax_t>(got);
    ::close(fd);
    if (total > 1000) ec = std::make_error_code(std::errc::file_too_large);
    return total;
}
