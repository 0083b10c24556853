"""Code in C++ as strangers write it, and what comes out."""

import pytest

from tests.e2e import strangers

QUICK = ("lines",)  # of `make test`


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works."""
    strangers.put(folder, "cpp")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.real
@pytest.mark.parametrize("name", strangers.named("cpp", QUICK))
def test_code_in_cpp_of_a_stranger(iogauge, here, name):
    strangers.check(iogauge, here, "cpp", name)


@pytest.mark.long
@pytest.mark.real
def test_code_that_cannot_be_written_beside_is_measured(here):
    """A file alone, one of a project, and a folder, on a read-only mount."""
    out = str(strangers.elsewhere(here))
    for code in ("lines.cpp", "tool/src/reader.cpp", "tool"):
        done = strangers.read_only(here, "log", "--own", code, "--dir", out, "--budget", "1s")
        assert done.returncode == 0, strangers.said(done)


@pytest.mark.long
@pytest.mark.real
def test_a_method_that_reads_nothing_gets_a_line_and_no_number(iogauge, here):
    """Though its object is made of a path, and opens it."""
    (here / "reader.cpp").write_text("""#include <fstream>
#include <string>

class CsvReader {
    std::ifstream in;

public:
    explicit CsvReader(const std::string& path) : in(path) {}
    bool end() { return in.eof() || in.bad(); }
    std::size_t rows() {
        std::size_t found = 0;
        for (std::string line; std::getline(in, line);) found++;
        return found;
    }
};
""")
    done = iogauge("log", "--own", "reader.cpp", "--dir", ".", "--budget", "3s")
    said = strangers.said(done)
    assert "CsvReader::end(path): it reads nothing of the file" in said, said
    found = {known.partition("(")[0]: times for known, times in strangers.cases(iogauge).items()}
    assert all(found["CsvReader::rows"]), found
    assert "use CsvReader::end" not in said and "use this: CsvReader::end" not in said, said


@pytest.mark.long
@pytest.mark.real
def test_what_a_compiler_says_at_length_is_cut_between_characters(iogauge, here):
    """And so is a long name."""
    long_name = "zähle" + "ä" * 40
    (here / "mine.cpp").write_text(f"""#include <fstream>
#include <string>

long x{long_name}(const std::string& path) {{
    std::ifstream in(path);
    long found = 0;
    for (std::string line; std::getline(in, line);) found++;
    return found;
}}

template <class Path> long other(const Path& path) {{
    static_assert(sizeof path == 1, "{"x" + "ö" * 200}");
    return 0;
}}
""")
    done = iogauge("log", "--own", "mine.cpp", "--dir", ".", "--budget", "1s")
    said = strangers.said(done)
    assert "garbage" not in said and "other() cannot be called: static assertion failed" in said, (
        said
    )
    assert [each for each in strangers.cases(iogauge) if each.startswith("…")], said
