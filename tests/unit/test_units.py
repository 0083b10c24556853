import pytest

from iogauge.model import ratios, units

SIZES = {8192: [8192, "8192", "8K", "8k", "8KiB", "8 KB"], 1 << 24: ["16M"], 1 << 31: ["2G"]}
SIZES |= {1 << 40: ["1T"], 2560: ["2.5K"], 0: ["0"]}


@pytest.mark.parametrize(("count", "texts"), SIZES.items())
def test_sizes_are_read(count, texts):
    assert {units.parse_size(text) for text in texts} == {count}


@pytest.mark.parametrize("text", ["", "K", "-1", "8X", "8 K K", "eight", True, None, -5])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match="not a size"):
        units.parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("2m", 120), ("1.5h", 5400), ("500ms", 0.5), (3, 3)],
)
def test_durations_are_read(text, seconds):
    assert units.parse_duration(text) == pytest.approx(seconds)


def test_shares_are_read():
    assert {units.parse_share(text) for text in ("3%", "0.03", 0.03)} == {0.03}
    for bad in ("0", "100%", "3", "-1%", "x"):
        with pytest.raises(ValueError, match="not a share"):
            units.parse_share(bad)


def test_a_sign_of_per_cent_that_was_forgotten_is_no_fivefold():
    assert [units.parse_slowdown(each) for each in ("0", "5%", "0.05", "500%")] == [
        0,
        0.05,
        0.05,
        5,
    ]
    with pytest.raises(ValueError, match="write 5%, or a fraction"):
        units.parse_slowdown("5")


def test_significant_digits():
    numbers = {0: "0", 1: "1.00", 9.996: "10.0", 12345: "12300", 0.012345: "0.0123"}
    numbers |= {999.6: "1000", -2.345: "-2.35", float("inf"): "inf", float("nan"): "?"}
    assert {value: units.significant(value) for value in numbers} == numbers


@pytest.mark.parametrize(
    "count", [1, 7, 1000, 1024, 8192, 1 << 20, (1 << 20) + 7, 3 << 30, 1 << 31]
)
def test_short_sizes_can_be_read_back(count):
    assert units.parse_size(units.short_size(count)) == count


def test_sizes_beside_a_limit_are_exact():
    sizes = {8 << 20: "8 MiB", (8 << 20) + 19: "8 388 627 bytes", 1536: "1.5 KiB", 0: "0 B"}
    sizes |= {1000: "1000 B", 1025: "1 025 bytes"}
    assert {count: units.exact_size(count) for count in sizes} == sizes


def test_people_read_these():
    assert [units.size(each) for each in (16 << 20, 1536, 65)] == ["16 MiB", "1.5 KiB", "65 B"]
    assert [units.rate(each) for each in (3.412e9, 87.23e6)] == ["3.41 GB/s", "87.2 MB/s"]
    durations = {0.0034: "3.40 ms", 2.1e-7: "210 ns", 12.3: "12 s", 80: "80 s", 0: "0 s"}
    durations |= {131: "2m 11s", 3700: "1h 02m"}
    assert {seconds: units.duration(seconds) for seconds in durations} == durations
    shares = {0.006: "0.6 %", 0.034: "3.4 %", 0.966: "97 %", 0.9949: "99 %", 0.996: "99.6 %"}
    shares |= {1.0: "100 %", 1.031: "103 %", 1.9: "190 %"}
    assert {each: units.share(each) for each in shares} == shares


def test_shares_in_the_forms_of_tables():
    assert units.share(0.05, 2) == "5.0 %" and units.share(1.53, 2) == "150 %"
    wholes = [units.whole_share(each) for each in (0.0, 0.004, 0.0149, 0.999, 1.03)]
    assert wholes == ["0 %", "<1 %", "1 %", "100 %", "103 %"]
    assert [units.deviation(each) for each in (0.043, 0.124, 1.2)] == ["±4 %", "±12 %", "±120 %"]


def test_sizes_and_counts_in_the_forms_of_tables():
    sizes = [units.compact_size(each) for each in (0.2, 65, 1024, 130_000, 8 << 20)]
    assert sizes == ["0", "65.0", "1K", "127K", "8M"]
    counts = [units.compact_count(each) for each in (1, 1.52, 12.4, 2049, 345_678, 1_048_576)]
    assert counts == ["1", "1.5", "12", "2049", "346k", "1.05M"]
    assert [units.mean_count(each) for each in (1, 78.71, 2049.4)] == ["1.00", "78.7", "2049"]


def test_numbers_with_chosen_digits():
    assert [units.chosen_duration(each) for each in (10.0, 0.5)] == ["10 s", "0.5 s"]
    assert [units.rounded(each, 7) for each in (9170.583, 4.0)] == ["9170.583", "4"]
    assert [units.rounded(each) for each in (1.5, 1.2345, 1234.5)] == ["1.5", "1.23", "1.23e+03"]
    assert units.rounded(0.5049, 2) == "0.5"
    assert [units.decimal(1.2, 2), units.decimal(12.345, 1)] == ["1.20", "12.3"]
    shares = [units.percent(0.0123), units.percent(0.9996, 1), units.percent(0.00123, 1)]
    assert shares == ["1%", "100.0%", "0.1%"]


def test_ratios():
    assert [ratios.ratio(each) for each in (0.3014, 1.5678, 46.4)] == ["0.301", "1.57", "46"]
    assert ratios.bounds(1.42, 1.741) == "1.42–1.74"
    assert ratios.bounds(1.42, float("inf")) == "at least 1.42"
    assert ratios.bounds(0.0, 1.74) == "at most 1.74"
    assert ratios.bounds(0.0, float("inf")) == "not known how sure"
    assert ratios.eliminated(2.0, 4.321) == "≥ 2, about 4.32"
    assert ratios.eliminated(1.96, 2.4) == "≥ 1.9, about 2.40", "a bound is never rounded up"


def test_what_is_known_of_a_level():
    assert ratios.known(12.34, 11.0, 13.0) == "12.3 (11.0–13.0)"
    assert ratios.known(12.34, None, 13.0) == "12.3"
    assert ratios.known(0.0341, 0.03, 0.04, units.duration) == "34.1 ms (30.0 ms–40.0 ms)"


def test_a_little_is_not_nothing_and_an_age_is_a_whole_number():
    shares = {0.0: "0 %", 0.00019: "<1 %", 0.0099: "<1 %", 0.0149: "1 %", 1.03: "103 %"}
    assert {share: units.whole_share(share) for share in shares} == shares
    ages = {3: "1 min ago", 700: "12 min ago", 5940: "99 min ago", 10_800: "3 h ago"}
    assert {seconds: units.ago(seconds) for seconds in ages} == ages


def test_a_system_is_named_and_an_unknown_file_system_is_not():
    host = {"system": "Linux", "kernel": "6.18.44-1", "file_system": "ext4"}
    assert units.system_of(host, "6.18") == "ext4, Linux 6.18"
    assert units.system_of({**host, "file_system": None}) == "Linux 6.18.44-1"
    assert units.system_of({**host, "system": "Darwin", "kernel": "24.1"}) == "ext4, macOS 24.1"
