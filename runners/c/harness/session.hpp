// Answers the requests of docs/wire.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json.hpp"
#include "runner.h"

class Session {
public:
    // The reply to a request line, without a line end. It says what was wrong if something was.
    std::string answer(std::string_view line);

private:
    // What `open` prepared, in the order in which it was allocated.
    struct Prepared {
        const Strategy *strategy = nullptr;
        enum Consume consume = CONSUME_NONE;
        std::vector<char> padding;
        std::vector<char> payload;
        std::vector<uint64_t> offsets;
        std::string source;
        char *memory = nullptr;
        Setup setup = {};

        Prepared() = default;
        Prepared(const Prepared &) = delete;
        Prepared &operator=(const Prepared &) = delete;
        ~Prepared();
    };
    std::unique_ptr<Prepared> open_now;

    void open(const json::Value &request);
    std::string sample(const json::Value &request);
    int64_t span(int64_t operations, const json::Value *paths, bool several, Tally &tally);
};
