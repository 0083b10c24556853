#include <fstream>
#include <map>
#include <string>

namespace csv {

struct Options {
    char separator = ',';
    bool header = true;
};

std::map<std::string, int> frequencies(const std::string& csv_file, const Options& options) {
    std::ifstream in(csv_file);
    std::map<std::string, int> seen;
    std::string row;
    if (options.header) std::getline(in, row);
    while (std::getline(in, row)) seen[row.substr(0, row.find(options.separator))]++;
    return seen;
}

}  // namespace csv
