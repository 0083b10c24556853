"""Does `iogauge watch` find the faults of real programs, and is it silent where they were mended?

    python benchmarks/watched_packages.py [NAME...] [--pairs 7] [--folder FOLDER] [--keep FOLDER]

Each is a published package that nobody here wrote, in the last version that had a fault and the
first that mended it, as its changelog or its authors say. A few lines call it on a file; the calls
that count are its own. Both versions are watched, then run in turns. The table says what was found
in the old one, the promised saving and that of the runs, and what was found in the new one.

Packages come from their registries by cargo, pip, mvn, go and npm; what is not installed is left out.
Nothing else should run meanwhile. All is kept in a folder that is removed, unless `--folder` names
one, where packages and data are found again; `--keep` keeps the records and pages of the watches.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import watch


@dataclass(frozen=True)
class Package:
    """A package, its two versions, and what tells of the change. `make` fetches a version into a
    folder of that name, and gives the command that runs it; `data` makes the files that it reads.
    """

    name: str
    old: str
    new: str
    finding: str
    needs: str
    make: Callable[[str, Path], str]
    data: Callable[[], None]


# What calls the packages.

EPUB = """
fn main() {
    for book in std::fs::read_dir("books").unwrap() {
        let doc = epub::doc::EpubDoc::new(book.unwrap().path()).unwrap();
        println!("{:?}: {} files", doc.mdata("title"), doc.resources.len());
    }
}
"""

TXOUTSET = """
fn main() {
    let dump = txoutset::Dump::new("coins.dat", txoutset::ComputeAddresses::No).unwrap();
    println!("{}", dump.map(|out| u64::from(out.amount)).sum::<u64>());
}
"""

GZI = """
fn main() {
    println!("{}", noodles_bgzf::gzi::read("in.gzi").unwrap().len());
}
"""

CDF = """
import sys

sys.path.insert(0, sys.argv[1])
import cdflib

file = cdflib.CDF("in.cdf")
print(sum(len(file.varattsget(name)) for _ in range(12) for name in file.cdf_info()["zVariables"]))
"""

SEVENZ = """
import java.io.File;
import org.apache.commons.compress.archivers.sevenz.SevenZFile;

class Read {
    public static void main(String[] names) throws Exception {
        byte[] part = new byte[65536];
        long all = 0;
        try (SevenZFile file = new SevenZFile(new File("in.7z"))) {
            while (file.getNextEntry() != null)
                for (int n; (n = file.read(part)) > 0; ) all += n;
        }
        System.out.println(all);
    }
}
"""

SEVENZ_DATA = """
import java.io.File;
import org.apache.commons.compress.archivers.sevenz.*;

class Make {
    public static void main(String[] names) throws Exception {
        byte[] bytes = java.nio.file.Files.readAllBytes(new File("text").toPath());
        try (SevenZOutputFile out = new SevenZOutputFile(new File("in.7z"))) {
            out.setContentCompression(SevenZMethod.BZIP2);
            out.putArchiveEntry(out.createArchiveEntry(new File("text"), "text"));
            out.write(bytes);
            out.closeArchiveEntry();
        }
    }
}
"""

XZ = """
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ulikunitz/xz"
)

func main() {
	file, _ := os.Open("text.xz")
	unpacked, err := xz.NewReader(file)
	if err != nil {
		panic(err)
	}
	fmt.Println(io.Copy(io.Discard, unpacked))
}
"""

TAR = """
const fs = require('fs');
const tar = require(require('path').resolve(process.argv[2], 'node_modules/tar'));
if (tar.x) tar.x({ file: 'in.tar', cwd: 'out' });
else fs.createReadStream('in.tar').pipe(tar.Extract({ path: 'out' }));
"""


# How a version is fetched.


def told(*command: str, folder: Path | None = None) -> None:
    """Run a tool, and show what it says only if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout)[-2000:]}")


def crate(name: str, source: str) -> Callable[[str, Path], str]:
    def make(version: str, folder: Path) -> str:
        (folder / "src").mkdir(parents=True, exist_ok=True)
        (folder / "src/main.rs").write_text(source, encoding="utf-8")
        (folder / "Cargo.toml").write_text(
            f'[package]\nname = "reads"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\n'
            f'{name} = "={version}"\n[profile.release]\ndebug = 1\n[workspace]\n',
            encoding="utf-8",
        )
        told("cargo", "build", "--quiet", "--release", folder=folder)
        return f"{folder}/target/release/reads"

    return make


def fd(version: str, folder: Path) -> str:
    if not (folder / "bin/fd").exists():
        command = ("cargo", "install", "--locked", "--root", str(folder), f"fd-find@{version}")
        told(*command)
    paths = " tree" * 12
    return f"sh -c 'exec {folder}/bin/fd . {paths} > names'"


def cdflib(version: str, folder: Path) -> str:
    pip = (sys.executable, "-m", "pip")
    if not folder.exists():
        told(*pip, "install", "--target", str(folder), f"cdflib=={version}", "numpy<2")
    Path("cdf.py").write_text(CDF, encoding="utf-8")
    return f"{sys.executable} cdf.py {folder}"


def compress(version: str, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    for name in (f"org.apache.commons:commons-compress:{version}", "org.tukaani:xz:1.9"):
        told("mvn", "-q", "dependency:copy", f"-Dartifact={name}", f"-DoutputDirectory={folder}")
    path, java = f"{folder}/*:{folder}", watch.newest_java()[0]
    for name, text in (("Read", SEVENZ), ("Make", SEVENZ_DATA)):
        Path(f"{name}.java").write_text(text, encoding="utf-8")
    told(f"{java}/javac", "-cp", path, "-d", str(folder), "Read.java", "Make.java")
    if not Path("in.7z").exists():
        told(f"{java}/java", "-cp", path, "Make")
    return f"{java}/java -cp '{path}' Read"


def xz(version: str, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "main.go").write_text(XZ, encoding="utf-8")
    if not (folder / "go.mod").exists():
        told("go", "mod", "init", "example.org/reads", folder=folder)
    told("go", "get", f"github.com/ulikunitz/xz@v{version}", folder=folder)
    told("go", "build", "-o", "reads", ".", folder=folder)
    return f"{folder}/reads"


def npm_tar(version: str, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    npm = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder))
    told(*npm, f"tar@{version}")
    Path("untar.js").write_text(TAR, encoding="utf-8")
    Path("out").mkdir(exist_ok=True)
    return f"node untar.js {folder}"


# What they read.


def tree() -> None:
    for number in range(200):
        folder = Path("tree") / f"folder-{number:03}"
        folder.mkdir(parents=True)
        for file in range(200):
            (folder / f"some-file-{file:03}.txt").touch()


def books() -> None:
    """Books of 800 pictures."""
    Path("books").mkdir()
    picture = random.Random(1).randbytes(1500)
    pictures = "".join(
        f'<item id="p{i}" href="p{i}.jpg" media-type="image/jpeg"/>' for i in range(800)
    )
    for number in range(150):
        with zipfile.ZipFile(f"books/{number}.epub", "w") as out:
            out.writestr(
                "META-INF/container.xml",
                '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:'
                'opendocument:xmlns:container"><rootfiles><rootfile full-path="content.opf" '
                'media-type="application/oebps-package+xml"/></rootfiles></container>',
            )
            out.writestr(
                "content.opf",
                '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0">'
                '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A book</dc:title>'
                f'</metadata><manifest>{pictures}</manifest><spine toc="p0"/></package>',
            )
            for i in range(800):
                out.writestr(f"p{i}.jpg", picture)


def coins() -> None:
    """A dump of unspent outputs: where from, height, amount, and a script of 20 bytes."""
    chance = random.Random(1)
    with open("coins.dat", "wb") as out:
        out.write(bytes(32) + struct.pack("<Q", 400_000))
        for number in range(400_000):
            out.write(chance.randbytes(32) + struct.pack("<I", number % 4))
            out.write(bytes((0x80, 0x01, 0x09, 0x00)) + chance.randbytes(20))


def index() -> None:
    pairs = 1_000_000
    with open("in.gzi", "wb") as out:
        out.write(struct.pack("<Q", pairs))
        for i in range(1, pairs + 1):
            out.write(struct.pack("<QQ", i * 20_000, i * 65_280))


def attributes() -> None:
    """Written by the package itself."""
    code = (
        "import cdflib, numpy\n"
        "out = cdflib.cdfwrite.CDF('in.cdf', cdf_spec={'Compressed': 0})\n"
        "for i in range(60):\n"
        "    spec = {'Variable': f'v{i}', 'Data_Type': 45, 'Num_Elements': 1,\n"
        "            'Rec_Vary': True, 'Dim_Sizes': []}\n"
        "    out.write_var(spec, var_attrs={f'a{j}': f'{i} {j}' for j in range(20)},\n"
        "                  var_data=numpy.arange(100.0))\n"
        "out.close()\n"
    )
    Path("make_cdf.py").write_text(code, encoding="utf-8")


def text() -> None:
    words = [bytes([97 + i % 26, 97 + i % 7, 97 + i % 11]) for i in range(2000)]
    chance = random.Random(1)
    Path("text").write_bytes(b" ".join(chance.choice(words) for _ in range(3_000_000)))


def packed() -> None:
    if not Path("text").exists():
        text()
    subprocess.run("xz -0 -kf text", shell=True, check=True)


def archive() -> None:
    Path("large").write_bytes(random.Random(1).randbytes(160 << 20))
    with tarfile.open("in.tar", "w", format=tarfile.USTAR_FORMAT) as out:
        out.add("large")


PACKAGES = [
    Package("fd-find (Rust)", "8.2.1", "8.3.0", "small-writes", "cargo", fd, tree),
    Package("epub (Rust)", "1.2.3", "1.2.4", "small-reads", "cargo", crate("epub", EPUB), books),
    Package(
        "txoutset (Rust)",
        "0.3.0",
        "0.4.0",
        "small-reads",
        "cargo",
        crate("txoutset", TXOUTSET),
        coins,
    ),
    Package(
        "noodles-bgzf (Rust)",
        "0.19.0",
        "0.20.0",
        "small-reads",
        "cargo",
        crate("noodles-bgzf", GZI),
        index,
    ),
    Package("cdflib (Python)", "0.3.20", "0.4.4", "opened-again", "pip", cdflib, attributes),
    Package("commons-compress (Java)", "1.10", "1.11", "small-reads", "mvn", compress, text),
    Package("ulikunitz/xz (Go)", "0.5.17", "0.6.0-alpha.3", "small-reads", "go", xz, packed),
    Package("tar (Node.js)", "2.2.2", "4.4.19", "small-writes", "npm", npm_tar, archive),
]


def made(each: Package) -> watch.Program:
    """Both versions, and their data, in the current folder."""
    here = Path.cwd()
    done = here / f"{each.data.__name__}.made"
    if not done.exists():
        each.data()
        done.touch()
    slug = each.name.partition(" ")[0].replace("/", "-")
    old, new = (each.make(one, here / f"{slug}-{one}") for one in (each.old, each.new))
    if each.data is attributes and not Path("in.cdf").exists():
        environment = {**os.environ, "PYTHONPATH": str(here / f"{slug}-{each.new}")}
        subprocess.run([sys.executable, "make_cdf.py"], env=environment, check=True)
    return watch.Program(each.name, old, new, each.finding)


def found_in(record: dict[str, Any], expected: str) -> str:
    """The findings of a record, as a cell."""
    findings = record["findings"]
    if not findings:
        return "nothing"
    right = "" if not expected or findings[0]["kind"] == expected else " (wrong)"
    return ", ".join(f"{one['kind']}, {watch.shown(one)}" for one in findings) + right


def kept(folder: Path | None, name: str, record: dict[str, Any]) -> None:
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.json"
        path.write_text(json.dumps(record, indent=1), encoding="utf-8")


def measure(each: Package, pairs: int, keep: Path | None) -> None:
    program = made(each)
    for command in (program.bad, program.good):
        watch.seconds(command)  # what it reads is cached then
    slug = each.name.partition(" ")[0].replace("/", "-")
    old, new = watch.watched(program.bad), watch.watched(program.good)
    kept(keep, f"{slug}-old", old)
    kept(keep, f"{slug}-new", new)
    saved, ratio, cell = [], "-", "-"
    if pairs:
        saved = watch.paired(program, pairs)
        middle = saved[len(saved) // 2]
        predicted = sum(one["saves"]["middle"] for one in old["findings"])
        cell = watch.SPAN.format(middle, saved[0], saved[-1])
        ratio = f"{predicted / middle:.2f}" if middle > 0 else "-"
    print(
        f"| {each.name} | {each.old} -> {each.new} | {old['wall']:.2f} s, {new['wall']:.2f} s | "
        f"{found_in(old, each.finding)} | {cell} | {ratio} | {found_in(new, '')} |",
        flush=True,
    )


@contextlib.contextmanager
def workplace(folder: Path | None) -> Iterator[Path]:
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder.resolve()
    else:
        with tempfile.TemporaryDirectory(prefix="iogauge-packages-", dir="/var/tmp") as name:
            yield Path(name)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    keep = given.keep.resolve() if given.keep else None
    print(
        "| package | versions | run times, watched | found in the old, predicted saving | "
        "measured saving | ratio | found in the new |"
    )
    print("|---|---|---|---|---|---|---|")
    with workplace(given.folder) as folder:
        os.chdir(folder)
        for each in PACKAGES:
            if given.names and not any(name in each.name for name in given.names):
                continue
            if each.needs != "pip" and not shutil.which(each.needs):
                print(f"| {each.name} | {each.needs} is not installed | | | | | |")
                continue
            measure(each, given.pairs, keep)
        os.chdir("/")


if __name__ == "__main__":
    main()
