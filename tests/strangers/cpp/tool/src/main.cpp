#include "tool/reader.hpp"

#include <iostream>

int main(int argc, char** argv) {
    for (int i = 1; i < argc; i++) std::cout << tool::Reader(argv[i]).words() << '\n';
}
