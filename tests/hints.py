"""Programs of all code hints of a language, to be compiled."""

from __future__ import annotations

from pathlib import Path

from iogauge.model.workload import OF_THE_API
from iogauge.runners import hints

RUNNERS = Path(__file__).parents[1] / "runners"
HINTS = {folder.name: sorted(folder.glob("*.txt")) for folder in sorted(RUNNERS.glob("*/hints/*"))}
VALUES = {"block": 4096, "buffer": 65536, "ahead": 1 << 20, "concurrent": 4}
SINCE_JAVA_22 = ("memory-segment", "memory-segment-random")

JAVA = """
import java.io.*;
import java.nio.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.*;
%s
class Hints {
    static void use(Object all) {}
    static void use(Object some, int n) {}
    %s
}
"""
JAVA_METHOD = "static void hint%d(Path path, Path to, byte[] data, String text, Iterable<byte[]> pieces, Iterable<String> parts, long[] offsets) throws IOException {\n%s\n}"
KOTLIN = """
import java.io.File
import java.io.FileOutputStream
import java.io.RandomAccessFile
import java.util.zip.GZIPInputStream
fun use(all: Any) {}
fun use(some: Any, n: Int) {}
%s
"""
KOTLIN_FUNCTION = "fun hint%d(file: File, to: File, data: ByteArray, text: String, pieces: List<ByteArray>, parts: List<String>, offsets: LongArray) {\n%s\n}"
GO = """package main

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

var _, _, _, _, _, _ = bufio.NewReader, gzip.NewReader, io.EOF, os.Open, strings.TrimSuffix, unix.Mmap
var _ unsafe.Pointer

func use([]byte)     {}
func useText(string) {}
func main()          {}
%s
"""
GO_FUNCTION = "func hint%d(path, to string, data []byte, pieces [][]byte, offsets []int64) error {\n{\n%s\n}\nreturn nil\n}"
RUST = """
#![allow(unused, dead_code)]
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
fn use_bytes(_: &[u8]) {}
fn use_text(_: &str) {}
fn main() {}
%s
"""
RUST_FUNCTION = "fn hint%d(path: &str, to: &str, data: &[u8], pieces: &[&[u8]], offsets: &[u64]) -> std::io::Result<()> {\n%s\nOk(())\n}"
C = """#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#if __has_include(<zlib.h>)
#include <zlib.h>
#endif

static void use(const void *some, size_t n) { (void)some, (void)n; }
%s
"""
C_FUNCTION = """int hint%d(const char *path, const char *to, const char *data, size_t length,
const off_t *offsets, size_t places) {
(void)path, (void)to, (void)data, (void)length, (void)offsets, (void)places;
{
%s
}
return 0;
}"""
CPP = """
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

static void use(const void *, size_t) {}
%s
"""
CPP_FUNCTION = """bool hint%d([[maybe_unused]] const char *path, [[maybe_unused]] const char *to,
[[maybe_unused]] const std::vector<std::string_view> &pieces,
[[maybe_unused]] const std::vector<std::streamoff> &offsets) {
{
%s
}
return true;
}"""
NODE = """
import assert from 'node:assert';
import { once } from 'node:events';
import fs from 'node:fs';
import readline from 'node:readline';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
const [path, to] = process.argv.slice(2);
const text = 'a line\\n'.repeat(1000);
const data = Buffer.from(text);
const pieces = [data.subarray(0, 4096), data.subarray(4096)];
const offsets = [4096, 0];
let used = 0;
function use(bytes) {
  assert(Buffer.isBuffer(bytes));
  used += bytes.length;
}
function useText(string) {
  assert.equal(typeof string, 'string');
  used += string.length;
}
%s
"""
NODE_FUNCTION = """await (async function run(hint) {
  const unpacks = hint.toString().includes('zlib');
  const whole = unpacks ? zlib.gzipSync(data) : data;
  const before = hint.toString().match(/'a'|append/i) ? [whole] : [];
  fs.writeFileSync(path, whole);
  fs.rmSync(to, { force: true });
  used = 0;
  await hint();
  assert(fs.readFileSync(path).equals(Buffer.concat([...before, whole])));
  if (fs.existsSync(to)) used += fs.readFileSync(to).length;
  console.log(used);
})(async function hint%d() {
%s
});"""
"""The hints run one after the other; each says how much it used or copied."""


FRAMES = {
    "java": (JAVA, JAVA_METHOD),
    "kotlin": (KOTLIN, KOTLIN_FUNCTION),
    "go": (GO, GO_FUNCTION),
    "rust": (RUST, RUST_FUNCTION),
    "c": (C, C_FUNCTION),
    "cpp": (CPP, CPP_FUNCTION),
    "node": (NODE, NODE_FUNCTION),
}


def names(language: str) -> list[str]:
    """Of its hints, those that can be compiled here."""
    found = [path.stem for path in HINTS[language]]
    zlib = language != "c" or Path("/usr/include/zlib.h").exists()
    return [each for each in found if zlib or not each.startswith("gz")]


def variants(language: str, chosen: list[str] | None = None) -> dict[str, str]:
    """Hints as they are shown, for each mode and durability that they are for, by their name and
    these, as in `os-write append fsync`.
    """
    found: dict[str, str] = {}
    for name in names(language) if chosen is None else chosen:
        for mode in hints.MODES:
            for durability in (None, *OF_THE_API):
                text = hints.of(f"{language}/{name}", VALUES, mode, durability)
                if text is not None:
                    said = (name, "" if mode == "truncate" else mode, durability)
                    found[" ".join(filter(None, said))] = text
    return found


def program(language: str, chosen: list[str] | None = None, *more: str) -> str:
    """All hints of a language, or the chosen ones; `more` goes first into the frame."""
    frame, function = FRAMES[language]
    texts = (function % each for each in enumerate(variants(language, chosen).values()))
    return frame % (*more, "\n".join(texts))


def java_programs() -> list[tuple[int, str]]:
    """The hints by the version of Java that they need."""
    everywhere = [name for name in names("java") if name not in SINCE_JAVA_22]
    imports = "import java.lang.foreign.Arena;\nimport java.lang.foreign.MemorySegment;"
    newer = program("java", list(SINCE_JAVA_22), imports)
    return [(17, program("java", everywhere, "")), (22, newer)]
