#include <fstream>
#include <functional>
#include <string>

template <typename Callback>
void for_each_line(const std::string& path, Callback&& callback) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) callback(line);
}

int visit(const std::string& path, const std::function<void(const std::string&)>& visitor) {
    int n = 0;
    for_each_line(path, [&](const std::string& line) { visitor(line), n++; });
    return n;
}
