# Compiles functions of the user's, as they stand, with the compiler $1 and links them with the runner that is built
# here. Each own/*.args has the arguments for one source; where C++ is too new for the compiler's standard, and the user
# asks for none, a newer one is tried. own/link.args has what the linker is told besides.
set -eu

compiler=$1
cores=$(nproc 2>/dev/null || echo 1)

# Compiles by the arguments $1, with others behind them.
compiled() {
    args=$1
    shift
    "$compiler" "@$args" "$@" -c -o "$args.o" >"$args.said" 2>&1
}

# The calls of functions that cannot be compiled, though the user's code can, are left out, each with what the compiler
# says: `-DIOGAUGE_WITHOUT_2="no matching function"`.
without() {
    args=$1 standard=$2
    export LC_ALL=C # what the compiler says is cut, and no character in two
    glue=$(grep -o 'own/glue-[0-9]*\.[a-z]*' "$args") || return 1
    numbers=$(sed -n 's/^#ifndef IOGAUGE_WITHOUT_//p' "$glue")
    every=
    for number in $numbers; do every="$every -DIOGAUGE_WITHOUT_$number=0"; done
    compiled "$args" $standard $every || return 1
    : >"$args.left"
    for number in $numbers; do
        others=
        for each in $numbers; do
            [ "$each" = "$number" ] || others="$others -DIOGAUGE_WITHOUT_$each=0"
        done
        compiled "$args" $standard $others && continue
        said=$(sed -n 's/.*error: //p' "$args.said" | head -n 1 | tr -cd ' -~' | tr -d '"\\\\' | cut -c 1-160)
        printf '"-DIOGAUGE_WITHOUT_%s=\\"%s\\""\n' "$number" "$said" >>"$args.left"
    done
    compiled "$args" $standard "@$args.left"
}

one() {
    standards=default
    case $1 in *.newer.args) standards="default gnu++20 gnu++23" ;; esac
    for standard in $standards; do
        flag=-std=$standard
        [ "$standard" != default ] || flag=
        compiled "$1" $flag && return
        cp "$1.said" "$1.$standard.said"
    done
    for standard in $standards; do
        flag=-std=$standard
        [ "$standard" != default ] || flag=
        without "$1" "$flag" && return
    done
    cat "$1.default.said"
    return 1
}

# Waits for all that was started, where one failed, too: a failed build is removed, and nothing may write there then.
all_ended() {
    failed=
    for each in $waiting; do wait "$each" || failed=1; done
    [ -z "$failed" ] || exit 1
    waiting= number=0
}

waiting= number=0
for args in own/*.args; do
    [ "$args" != own/link.args ] || continue
    one "$args" &
    waiting="$waiting $!" number=$((number + 1))
    [ "$number" -lt "$cores" ] || all_ended
done
all_ended
"$compiler" own/*.args.o iogauge-runner.o @own/link.args -lstdc++ -lpthread -lm $(cat libraries.txt) -o iogauge-runner
rm -f own/*.args.o own/*.said own/*.left
