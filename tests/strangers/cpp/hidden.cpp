#include <fstream>
#include <iostream>
#include <string>

namespace app::io {
namespace {

double total(const std::string& csvPath) {
    std::ifstream in{csvPath};
    std::string row;
    double sum = 0;
    std::getline(in, row);
    while (std::getline(in, row)) sum += std::stod(row.substr(row.find(',') + 1));
    return sum;
}

}  // namespace
}  // namespace app::io

int main(int argc, char** argv) {
    if (argc > 1) std::cout << app::io::total(argv[1]) << '\n';
}
