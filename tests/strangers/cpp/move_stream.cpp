#include <fstream>
#include <memory>
#include <sstream>
#include <string>

class Tokens {
public:
    explicit Tokens(std::ifstream&& in) : in_(std::move(in)) {}
    long count() {
        long n = 0;
        for (std::string token; in_ >> token;) n++;
        return n;
    }

private:
    std::ifstream in_;
};

long drained(std::unique_ptr<std::istream> in) {
    long n = 0;
    while (in->get() != EOF) n++;
    return n;
}
