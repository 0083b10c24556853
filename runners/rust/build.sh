# Builds the runner by this cargo. Options of the command line have their way over a configuration of the user's: its target, linker and
# profile, also that of dependencies, are for programs of his own. With a version of the C library, zig links it against that, and nothing of it tells where it was built.
# With "library" it makes the library that a program loads whose functions were not written for the runner, with "glue" such a program.
# With "own" it builds the crate of the user's, which finds the runner as the crate iogauge_own.
set -e
cargo=$1 glibc=$2 zig=$3
patch= library= built=
case $glibc in
library) glibc= library=1 ;;
glue) # the crate in the folder $3, for the library in the folder $4, beside which dependencies stay that were built for others. Then
    # NAME=HASH of packages that are not of a registry: of these cargo asks the times of files alone, and an older file may be another one
    glibc= built=$PWD shared=$4/target
    cp "$4/libiogauge_own.so" .
    cd "$3"
    if mkdir -p "$shared" 2>/dev/null && [ -w "$shared" ] && exec 9>"$shared/lock" && flock 9 2>/dev/null; then
        export CARGO_TARGET_DIR="$shared" CARGO_BUILD_BUILD_DIR="$shared"
        find "$shared" -mindepth 1 -name '*iogauge*' -prune -exec rm -rf {} +
        shift 4
        for package; do # the first is that of the user, which has no hash and another path in each build
            name=${package%%=*} known=$shared/.$name
            case $package in *=?*) [ "$package" != "$(cat "$known" 2>/dev/null)" ] || continue ;; esac
            crate=$(printf %s "$name" | tr - _)
            find "$shared" -mindepth 1 \( -name "$name" -o -name "$name-[0-9a-f]*" -o -name "lib${crate}[-.]*" \) -prune -exec rm -rf {} +
            printf %s "$package" >"$known"
        done
    fi
    export RUSTFLAGS='--cap-lints allow' # what the user forbids himself, glue may need
    "$cargo" metadata --format-version 1 >/dev/null 2>&1 || "$cargo" metadata --format-version 1 --offline >/dev/null
    ;;
esac
if [ "$glibc" = own ]; then
    glibc= patch="patch.crates-io.iogauge_own.path='..'"
    cd own
    [ -f src/main.rs ] || { echo "error: no src/main.rs in that folder" >&2; exit 1; }
    [ -f Cargo.lock ] || cp ../Cargo.lock .
    # It adds to the lock file what is not in it yet.
    "$cargo" metadata --format-version 1 --config "$patch" >/dev/null 2>&1 || "$cargo" metadata --format-version 1 --config "$patch" --offline >/dev/null
fi
if [ "$glibc" ]; then
    target=$IOGAUGE_TARGET
    found=$("$CARGO_ZIGBUILD_ZIG_PATH" version)
    [ "$found" = "$zig" ] || { echo "error: zig is $found, not $zig" >&2; exit 1; }
    RUSTFLAGS="--remap-path-prefix=$PWD=runner"
    for registry in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
        RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=$registry=crates"
    done
    export RUSTFLAGS
    set -- zigbuild --target "$target.$glibc"
else
    target=$("$RUSTC" -vV | sed -n 's/^host: //p')
    set -- ${library:+rustc --lib --crate-type cdylib}
    set -- "${@:-build}" --target "$target" --config "target.$target.linker='cc'"
fi
# A name in the user's profile is stronger than that profile. What only runs while others are built (build scripts, macros) is not optimized,
# as cargo has it: of the runner alone that took 6 of 38 s.
packages=$("$cargo" tree --locked --edges normal,no-proc-macro --prefix none --format '{p}' --target "$target" ${patch:+--config "$patch"} 2>/dev/null) ||
    packages=$(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.lock)
for package in $(printf '%s\n' "$packages" | cut -d ' ' -f 1 | sort -u); do
    for setting in opt-level=3 codegen-units=1 debug=false debug-assertions=false overflow-checks=false; do
        set -- "$@" --config "profile.release.package.\"$package\".$setting"
    done
done
"$cargo" "$@" --release --locked --quiet ${patch:+--config "$patch"} \
    --config profile.release.opt-level=3 \
    --config profile.release.codegen-units=1 \
    --config profile.release.lto=true \
    --config "profile.release.panic='unwind'" \
    --config profile.release.debug=false \
    --config profile.release.debug-assertions=false \
    --config profile.release.overflow-checks=false \
    --config "profile.release.strip='debuginfo'" \
    --config profile.release.rpath=false
if [ "$library" ]; then
    mv "target/$target/release/libiogauge_own.so" .
elif [ "$built" ]; then
    cp "$CARGO_TARGET_DIR/$target/release/$(sed -n 's/^name = "\(iogauge-runner.*\)"$/\1/p' Cargo.toml)" "$built/iogauge-runner"
elif [ "$patch" ]; then
    mv "$(find "target/$target/release" -maxdepth 1 -type f -perm -u+x)" ../iogauge-runner
else
    mv "target/$target/release/iogauge-runner" .
fi
rm -rf target
