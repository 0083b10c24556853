import itertools
from collections import Counter

import pytest

from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.plan import Skipped, by_reason
from iogauge.model.strategy import Needs
from iogauge.model.units import parse_size
from iogauge.planning import cost, options, order
from iogauge.planning import plan as planning
from iogauge.planning.options import Machine, Options
from iogauge.study import loading
from tests import reports
from tests.reports import parameter

MIB = 1 << 20


def strategy(name, *, parameters=("block",), memory=0.0, **more):
    declared = {each: parameter(each, max=1 << 20) for each in parameters}
    needs = Needs(memory_per_file_byte=memory)
    return reports.declared(name, parameters=declared, needs=needs, effort=1, **more)


def runtime(runner="jvm", version="17.0.1", language="java", heap=256, **more):
    strategies = [
        strategy(f"{language}/stream"),
        strategy(f"{language}/mapped", parameters=(), consumes=("touch", "sum")),
        strategy(f"{language}/whole", parameters=(), memory=1.0),
        strategy(f"{language}/two", parameters=("block", "buffer")),
        strategy(f"{language}/newer", parameters=(), unavailable="needs version 22"),
    ]
    return reports.runtime(
        f"{runner}-{version}", strategies, heap_minimum_mib=heap, overhead_mib=64, **more
    )


JVM, GO = runtime(), runtime("go", "1.26", "go", heap=0)


def make(text, runtimes=(JVM, GO), absent=None, memory=16 << 30, **options):
    parsed = loading.parse('id = "s"\ntitle = "T"\n' + text, "s.toml")
    machine = Machine(runtimes, absent or {}, memory, 2)
    return planning.make(parsed, "s.toml", machine, Options(**options))


def group(cases, size='"1M"', cache='["warm", "cold"]', more="", identifier="g"):
    return f'[[group]]\nid = "{identifier}"\nquestion = "?"\nsize = {size}\ncache = {cache}\n{more}\n{cases}\n'


BOTH = '[[group.case]]\nstrategy = ["java/stream", "go/stream"]\nparameters = { block = ["8K", "64K"] }\n'
WHOLE = '[[group.case]]\nstrategy = ["java/whole", "java/mapped"]\n'


def test_the_grid_is_the_product_of_all_axes():
    made = make(group(BOTH, size='["1M", "2M"]', more='consume = ["touch", "sum"]'))
    assert [each.id for each in made.groups] == [
        f"g-{size}-{cache}-{consume}"
        for size in ("1m", "2m")
        for cache in ("warm", "cold")
        for consume in ("touch", "sum")
    ]
    for each in made.groups:
        assert len(each.cases) == 5  # 2 strategies x 2 blocks, and the control
        controls = [case for case in each.cases if made.cases[case].control]
        assert controls == [each.control]
        assert made.cases[each.control].variant == made.cases[each.baseline].variant


def test_keys_are_canonical_and_distinct():
    made = make(group(BOTH + WHOLE, size='["1M", "2M"]'))
    keys = [case.key for case in made.cases]
    assert len(keys) == len(set(keys))
    key = "java/stream(block=8192) read(size=1048576,content=bytes,consume=touch)"
    key += " cache=warm cached_by=read-sequential"
    assert (made.cases[0].key_without_runtime, keys[0]) == (key, f"{key} @jvm-17.0.1")


def test_forks_are_shared_across_sizes_and_conditions_but_not_with_the_control_or_consumes():
    made = make(group(BOTH, size='["1M", "2M"]'))
    assert len(made.forks) == 5 and len(made.bundles) == 1
    assert Counter(made.fork_of) == dict.fromkeys(range(5), 4)
    made = make(group(BOTH, more='consume = ["touch", "sum"]'))
    assert len(made.forks) == 10
    assert [len(bundle.forks) for bundle in made.bundles] == [5, 5]


@pytest.mark.parametrize(
    ("least", "sizes", "heaps"),
    [
        (256, '["1M", "200M"]', {(1,): 256, (200,): 512}),  # from the largest need
        (64, '["1M", "16M", "90M", "200M"]', {(1, 16, 90): 256, (200,): 512}),  # shared if small
    ],
)
def test_there_is_one_heap_per_bundle(least, sizes, heaps):
    made = make(group(WHOLE, size=sizes, cache='"warm"'), runtimes=(runtime(heap=least), GO))
    found = {}
    for bundle in made.bundles:
        assert {made.forks[fork].heap_mib for fork in bundle.forks} == {bundle.heap_mib}
        of = tuple(made.groups[index].workload.size // MIB for index in bundle.groups)
        found[of] = bundle.heap_mib
    assert found == heaps
    assert sorted(set(made.fork_of)) == list(range(len(made.forks)))


def test_what_needs_more_memory_than_there_is_is_left_out_and_the_others_go_on():
    made = make(group(BOTH + WHOLE, size='["1M", "2G"]', cache='"cold"'), memory=4 << 30)
    (skipped,) = made.skipped
    assert skipped.what.endswith(": java/whole on 2 GiB")
    needs = "needs 10.2 GiB of memory (two processes), and 2 GiB can be had here; give a"
    assert skipped.why.startswith(needs)
    small, large = ({made.cases[case].strategy for case in each.cases} for each in made.groups)
    assert small - large == {"java/whole"} and large


def test_where_no_case_has_memory_nothing_can_be_measured():
    needs = r"needs 640 MiB of memory \(two processes\), and 256 MiB can be had here"
    least = f"nothing to measure: g: the smallest of its ways on 1 GiB: {needs}; give a smaller"
    with pytest.raises(UserError, match=f"{least} size$"):
        make(group(WHOLE, size='"1G"', cache='"cold"'), memory=400 << 20)
    with pytest.raises(UserError, match="^s.toml: 90 MiB of memory are available here, and iog"):
        make(group(WHOLE), memory=90 << 20)


def test_a_file_that_cannot_stay_in_the_cache_is_left_out_before_anything_is_measured():
    made = make(group(BOTH, size='["1M", "4G"]', cache='["warm", "cold"]'), memory=2 << 30)
    (skipped,) = made.skipped
    assert skipped.what.endswith(": files of 4 GiB, cached") and "1 GiB can be had" in skipped.why
    assert [(each.workload.size, each.conditions.cache) for each in made.groups] == [
        (1 << 20, "warm"),
        (1 << 20, "cold"),
        (4 << 30, "cold"),
    ]


def test_in_little_memory_forks_and_the_file_share_what_iogauge_leaves():
    go = BOTH.replace('"java/stream", ', "")

    def limit(mib):
        made = make(group(go, size='"64M"', cache='"warm"'), memory=mib << 20, runtimes=(GO,))
        return made.memory_limit_mib

    assert [limit(500), limit(800), limit(8192)] == [500 - 144 - 64, 512, 4096]


def test_in_little_memory_no_heap_is_enlarged_to_share_forks():
    machine = {"runtimes": (runtime(heap=64), GO)}
    for mib in (1024, 800):
        made = make(group(WHOLE, '["1M", "16M"]', '"warm"'), memory=mib << 20, **machine)
        assert {bundle.heap_mib for bundle in made.bundles} == {64 + 64}


def test_blocks_hold_the_baseline_and_fit_into_memory():
    made = make(group(BOTH + WHOLE, cache='"warm"', size='"1M"'), memory=2 * (256 + 64) * 3 * MIB)
    memory = options.fork_memory_mib(made, [JVM, GO])
    (bundle,) = made.bundles
    cut = order.parts(made, bundle, 0, made.groups[0].cases, memory)
    assert len(cut) > 1
    assert set().union(*cut) == set(made.groups[0].cases)
    for block in cut:
        assert made.groups[0].baseline in block
        assert sum(memory[made.fork_of[case]] for case in block) <= made.memory_limit_mib
    again = order.parts(made, bundle, 1, made.groups[0].cases, memory)
    assert cut != again, "blocks are dealt anew in each replicate"


OUT_OF_RANGE = "parameters.block: {} is out of range for java/stream; allowed: 1 to 1048576"
MAPPED = 'baseline = { strategy = "java/mapped" }'
ERRORS = [
    (
        {"cases": BOTH.replace('"java/stream"', '"java/steam"')},
        "case[0].strategy: unknown strategy 'java/steam'; allowed, among others: java/stream, java/two, go/stream",
    ),
    (
        {"cases": BOTH.replace("block", "blok")},
        "case[0].parameters: java/stream has no parameter 'blok'; allowed: block",
    ),
    ({"cases": BOTH.replace('"64K"', "0")}, f"case[0].{OUT_OF_RANGE.format(0)}"),
    ({"cases": BOTH.replace('"64K"', '"2M"')}, f"case[0].{OUT_OF_RANGE.format(2097152)}"),
    (
        {"cases": WHOLE, "more": 'consume = "none"'},
        "case[0].strategy: java/mapped cannot do consume = 'none'; allowed: touch, sum",
    ),
    ({"more": MAPPED}, "baseline: java/mapped with these parameters is no case"),
    ({"more": 'content = "sparse"'}, "content: a sparse file has nothing on the disk"),
]


@pytest.mark.parametrize(("table", "message"), ERRORS)
def test_what_no_runner_can_do_or_does_not_fit_into_a_group_is_an_error(table, message):
    with pytest.raises(UserError) as error:
        make(group(**{"cases": BOTH, **table}))
    assert str(error.value).startswith(f"s.toml: group[0].{message}")


def test_a_way_past_the_cache_is_compared_where_all_wait_for_the_device():
    past = strategy("java/direct", bypasses_cache=True)
    jvm = JVM.model_copy(update={"strategies": {**JVM.strategies, past.name: past}})
    row = '[[group.case]]\nstrategy = ["java/stream", "java/direct"]\n'
    made = make(group(f"{row}parameters = {{ block = 4096 }}\n"), runtimes=[jvm])
    found = {each.id: {made.cases[case].strategy for case in each.cases} for each in made.groups}
    assert found == {"g-warm": {"java/stream"}, "g-cold": {"java/stream", "java/direct"}}
    (skipped,) = made.skipped
    assert (
        skipped.what == "java/direct: warm, read-sequential"
        and "past the page cache" in skipped.why
    )


def skipped(made) -> list[tuple[str, str]]:
    return [(each.what, each.why) for each in made.skipped]


def test_what_is_not_here_is_skipped_and_said():
    why = "go: skipped, no bin/go; install Go"
    absent = {"go": why}
    baseline = 'baseline = { strategy = "go/stream" }'
    made = make(group(BOTH, more=baseline), runtimes=[JVM], absent=absent)
    assert {case.language for case in made.cases} == {"java"}
    assert skipped(made) == [("go/*", why)] and made.skipped[0].language == "go"
    made = make(group(BOTH + '[[group.case]]\nstrategy = "java/newer"\n'))
    assert skipped(made) == [("java/newer @jvm-17.0.1", "needs version 22")]
    with pytest.raises(UserError, match=r"s\.toml: nothing to measure: go/\*: go: skipped"):
        make(group(BOTH.replace('"java/stream", ', "")), runtimes=[JVM], absent=absent)


def test_languages_that_are_skipped_for_one_reason_are_named_together():
    names = (("a/*", "old", "a"), ("x", "old", None), ("b/*", "old", "b"), ("c/*", "new", "c"))
    every = [Skipped(what=what, why=why, language=of) for what, why, of in names]
    found = [(each.what, each.why) for each in by_reason([*every, every[1]])]
    assert found == [("a/*, b/*", "old"), ("x", "old"), ("c/*", "new")]


@pytest.mark.parametrize(
    ("size", "most", "left", "what", "allows"),
    [
        ('["1M", "64M"]', "2M", {MIB}, "64 MiB", "64M"),
        ('["1M", "8M", 8388627]', "8M", {MIB, 8 * MIB}, "8 388 627 bytes", "8388627"),  # exactly
    ],
)
def test_max_size_names_what_it_leaves_out(size, most, left, what, allows):
    made = make(group(BOTH, size=size), max_size=parse_size(most))
    assert {each.workload.size for each in made.groups} == left
    why = f"larger than --max-size {most}; --max-size {allows} takes them in"
    assert skipped(made) == [(f"g: files of {what}", why)]


WHOLE_BLOCK = '[[group.case]]\nstrategy = "go/stream"\nparameters = { block = ["64K", "size"] }\n'


def blocks_of(made) -> dict[int, list[int]]:
    """The blocks of each group's cases without the control, by the size of its file."""
    found = {}
    for each in made.groups:
        cases = (made.cases[case] for case in each.cases if case != each.control)
        found[each.workload.size] = [case.parameters["block"] for case in cases]
    return found


def test_a_block_may_be_the_size_of_the_file_but_no_larger_than_any_block():
    made = make(group(WHOLE_BLOCK, size='["64K", "100000", "1M"]', cache='"warm"'))
    assert blocks_of(made) == {65536: [65536], 100_000: [65536, 100_000], MIB: [65536, MIB]}
    assert made.skipped == ()
    made = make(group(WHOLE_BLOCK, size='["1M", "2M"]'))
    assert blocks_of(made) == {MIB: [65536, MIB], 2 * MIB: [65536]}
    # Once, for warm and cold.
    assert skipped(made) == [("go/stream: block of 2 MiB", "allowed: 1 to 1048576")]


def test_the_baseline_may_have_the_size_of_the_file_as_its_block():
    baseline = 'baseline = { strategy = "go/stream", parameters = { block = "size" } }'
    made = make(group(WHOLE_BLOCK, size='["512K", "1M"]', cache='"warm"', more=baseline))
    blocks = [made.cases[each.baseline].parameters["block"] for each in made.groups]
    assert blocks == [MIB // 2, MIB]


def test_only_keeps_what_matches():
    text = group(BOTH + WHOLE, more='baseline = { strategy = "go/stream" }')
    made = make(text, only=("java/stream*", "java/mapped"))
    assert {case.strategy for case in made.cases} == {"java/stream", "java/mapped"}
    made = make(group(BOTH), only=("*(block=65536)",))
    assert {case.parameters["block"] for case in made.cases} == {65536}
    with pytest.raises(UserError, match="nothing to measure"):
        make(group(BOTH), only=("rust/*",))


def test_two_runtimes_of_one_language_are_compared():
    newer = runtime(version="25.0.3")
    made = make(group(WHOLE, cache='"warm"'), runtimes=[JVM, newer])
    runtimes = Counter(case.runtime for case in made.cases if not case.control)
    assert runtimes == {"jvm-17.0.1": 2, "jvm-25.0.3": 2}
    assert len({case.key_without_runtime for case in made.cases}) == 2


@pytest.mark.parametrize("cases", range(1, 13))
def test_in_a_square_each_case_follows_each_other_one_equally_often(cases):
    square = order.williams(cases)
    following = Counter(pair for each in square for pair in itertools.pairwise(each))
    assert all(sorted(each) == list(range(cases)) for each in square)
    assert len(following) == cases * (cases - 1) and len(set(following.values())) <= 1
    places = Counter(pair for each in square for pair in enumerate(each))
    assert len(set(places.values())) == 1, "and is at each place"


def test_orders_follow_from_the_seed_and_from_what_was_measured_before():
    made, live = make(group(BOTH + WHOLE), seed=1), range(7)
    orders = order.RoundOrders(made)
    first = [orders.next(0, live) for _ in range(40)]
    again = order.RoundOrders(made, [(0, each) for each in first[:15]])
    assert [again.next(0, live) for _ in range(25)] == first[15:]
    others = order.RoundOrders(made), order.RoundOrders(make(group(BOTH + WHOLE), seed=2))
    assert others[0].next(1, live) != first[0] != others[1].next(0, live)
    following = Counter(pair for each in first[:28] for pair in itertools.pairwise(each))
    assert set(following.values()) == {4}, "two squares of fourteen rows"
    assert first[:14] != first[14:28]


def test_every_place_in_a_round_is_as_likely_for_every_case():
    """Also of the first rounds of squares that are not used up."""
    places, squares = Counter(), 400
    for seed in range(squares):
        orders = order.RoundOrders(make(group(BOTH + WHOLE), seed=seed))
        for _ in range(3):
            places.update((case, place) for place, case in enumerate(orders.next(0, range(7))))
    expected = squares * 3 / 7
    # The chi-squared statistic has 36 degrees of freedom here; 99.9 % of them are below 68.
    cells = [(places[case, place] - expected) ** 2 for case in range(7) for place in range(7)]
    assert sum(cells) / expected < 68


def settings_of(made, strategy):
    return [case.setting for case in made.cases if case.strategy == strategy and not case.control]


def test_a_runtime_is_measured_with_further_options_beside_itself():
    settings = (("jvm", ("-XX:+UseZGC",)), ("jvm", ("-A", "-B")), ("go", ("GOGC=off",)))
    made = make(group(WHOLE, cache='"warm"'), settings=settings)
    expected = [f"jvm-17.0.1{options}" for options in ("", " -XX:+UseZGC", " -A -B")]
    assert settings_of(made, "java/whole") == expected
    assert len({case.key for case in made.cases}) == len(made.cases)
    assert made.cases[made.groups[0].baseline].options == ()
    assert {fork.options for fork in made.forks} == {(), ("-XX:+UseZGC",), ("-A", "-B")}


def test_further_options_come_after_those_of_the_row_and_are_measured_once():
    row = '[[group.case]]\nstrategy = ["java/whole"{}]\n'
    rows = row.format(', "go/whole"') + row.format("") + 'options = ["-A"]\n'
    settings = (("jvm", ("-B",)), ("jvm", ("-B",)), ("go", ("GOGC=off",)))
    made = make(group(rows, cache='"warm"'), settings=settings)
    expected = [f"jvm-17.0.1{options}" for options in ("", " -B", " -A", " -A -B")]
    assert settings_of(made, "java/whole") == expected
    assert settings_of(made, "go/whole") == ["go-1.26", "go-1.26 GOGC=off"]


def test_options_of_a_runtime_that_takes_variables_are_checked():
    go = runtime("go", "1.26", "go", heap=0, options_are_variables=True)
    said = "--runtime-option: off: for go-1.26 write variables, NAME=VALUE"
    with pytest.raises(UserError, match=said):
        make(group(BOTH), runtimes=(JVM, go), settings=(("go", ("off",)),))


def test_paddings_are_drawn_from_the_seed():
    """Anywhere in a page, in steps of what an allocator aligns to; another one for each fork of
    each replicate.
    """
    one, other = make(group(BOTH), seed=1), make(group(BOTH), seed=2)
    places = list(itertools.product(range(64), range(8)))
    drawn = [order.padding_of(one, *each) for each in places]
    assert drawn == [order.padding_of(one, *each) for each in places]
    assert drawn != [order.padding_of(other, *each) for each in places]
    assert all(0 <= each < 4096 and each % 8 == 0 for each in drawn)
    assert len(set(drawn)) > 300 and 1800 < sum(drawn) / len(drawn) < 2300


def test_ways_for_other_formats_take_their_data_only_and_have_no_ceiling_of_plain_files():
    more = {"unpack": {"format": "gzip"}, "json": {"format": "json-lines"}}
    more["fast"] = {"role": "ceiling"}
    several = {f"rust/{name}": each for name, each in more.items()}
    rust = runtime("rust", "1.80", "rust", heap=0)
    found = {name: strategy(name, parameters=(), **each) for name, each in several.items()}
    rust = rust.model_copy(update={"strategies": rust.strategies | found})
    row = '[[group.case]]\nstrategy = ["rust/stream", "rust/{}"]\n'
    assert make(group(row.format("mapped")), [rust]).groups[0].ceilings
    assert not make(group(row.format("unpack")), [rust]).groups[0].ceilings
    with pytest.raises(UserError, match=r"rust/json works on JSON lines; allowed: text-json"):
        make(group(row.format("json"), more='content = "text"'), [rust])
    text = group(row.format("json"), '"1M"', '"warm"', 'content = "text-json"')
    (json,) = make(text, [rust]).groups
    assert len(json.cases) == 3


def test_collections_are_waited_for_only_where_a_runtime_counts_them():
    """In the first estimate of a run, of what holds memory."""

    def seconds(one):
        made = make(group(WHOLE, size='"4K"', cache='["warm"]'), runtimes=(one,))
        return cost.replicate_seconds(made, made.bundles[0], [one], 2, METHOD)

    assert seconds(runtime(collects=True)) > 1.1 * seconds(runtime(collects=False))
