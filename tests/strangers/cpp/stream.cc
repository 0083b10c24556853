#include <istream>
#include <string>
using namespace std;

int countWords(istream& in) {
    string word;
    int words = 0;
    while (in >> word) words++;
    return words;
}
