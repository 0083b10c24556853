#include <algorithm>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

class Mapping {
public:
    explicit Mapping(const char* path) {
        int fd = ::open(path, O_RDONLY | O_CLOEXEC);
        struct stat about{};
        if (fd < 0 || ::fstat(fd, &about) < 0) throw std::system_error(errno, std::system_category(), path);
        size_ = static_cast<std::size_t>(about.st_size);
        data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
        ::close(fd);
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { ::munmap(data_, size_); }

    std::string_view text() const { return {static_cast<const char*>(data_), size_}; }
    std::ptrdiff_t lines() const { return std::count(text().begin(), text().end(), '\n'); }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};
