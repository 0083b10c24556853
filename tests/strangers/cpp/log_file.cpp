#include <fstream>
#include <string>
#include <utility>

class LogFile {
public:
    explicit LogFile(std::string path) : path_(std::move(path)) {}

    int errors() const { return matching("ERROR"); }
    int infos() const;
    const std::string& path() const { return path_; }

private:
    int matching(const char* word) const {
        std::ifstream in(path_);
        std::string line;
        int found = 0;
        while (std::getline(in, line))
            if (line.find(word) != std::string::npos) found++;
        return found;
    }

    std::string path_;
};

int LogFile::infos() const { return matching("INFO"); }
