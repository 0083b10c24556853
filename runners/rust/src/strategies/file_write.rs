use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use rustix::fs::{fallocate, FallocateFlags};

use super::{block, Operation, Parameter, Setup, Strategy, WRITES};

const BLOCK: Parameter = block("bytes of the slices given to write_all");

inventory::submit! {
    Strategy {
        name: "rust/file-write",
        title: "File::write_all",
        call: "File::write_all",
        buffer: Some("reused"),
        parameters: &[BLOCK],
        open: |setup| Ok(writing(options(&setup), setup, |file, setup| write_blocks(file, setup))),
        ..WRITES
    }
}

inventory::submit! {
    Strategy {
        name: "rust/file-write-preallocated",
        title: "File::write_all after fallocate",
        call: "File::write_all after fallocate",
        buffer: Some("reused"),
        modes: &["truncate"],
        parameters: &[BLOCK],
        effort: 4,
        open: |setup| {
            Ok(writing(options(&setup), setup, |file, setup| {
                preallocate(file, setup.payload.len())?;
                write_blocks(file, setup)
            }))
        },
        ..WRITES
    }
}

inventory::submit! {
    Strategy {
        name: "rust/file-overwrite",
        title: "File::write_all over what is there, then set_len",
        call: "File::write_all, overwriting",
        buffer: Some("reused"),
        modes: &["truncate"],
        parameters: &[BLOCK],
        effort: 3,
        open: |setup| {
            let mut options = options(&setup);
            options.truncate(false);
            Ok(writing(options, setup, |file, setup| {
                write_blocks(file, setup)?;
                if file.metadata()?.len() > setup.payload.len() as u64 {
                    file.set_len(setup.payload.len() as u64)?;
                    if setup.durability == "dsync" {
                        file.sync_all()?; // O_DSYNC says nothing of the end that is cut off
                    }
                }
                Ok(())
            }))
        },
        ..WRITES
    }
}

inventory::submit! {
    Strategy {
        name: "rust/append-preallocated",
        title: "File::write_all into blocks that fallocate gave ahead",
        call: "File::write_all, fallocate ahead",
        buffer: Some("reused"),
        modes: &["append"],
        parameters: &[BLOCK, AHEAD],
        effort: 4,
        open: |setup| {
            let ahead = setup.value("ahead") as u64;
            Ok(writing(options(&setup), setup, move |file, setup| {
                let (about, more) = (file.metadata()?, setup.payload.len() as u64);
                if about.blocks() * SECTOR < about.len() + more {
                    // Its size stays.
                    fallocate(&*file, FallocateFlags::KEEP_SIZE, about.len(), ahead.max(more))?;
                }
                write_blocks(file, setup)
            }))
        },
        ..WRITES
    }
}

const AHEAD: Parameter = Parameter {
    name: "ahead",
    default: 1 << 20,
    least: 4096,
    most: 1 << 30,
    unit: "bytes",
    role: "other",
    says: "bytes for which blocks are had at once, behind the end of the file",
    tried: &[],
};
const SECTOR: u64 = 512; // the unit in which a file tells its blocks

/// How the file is opened: its mode, and `dsync`.
pub fn options(setup: &Setup) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    match setup.mode {
        "append" => options.append(true),
        _ => options.write(true).truncate(true),
    };
    if setup.durability == "dsync" {
        options.custom_flags(libc::O_DSYNC);
    }
    options
}

/// The operation that opens the file, has it written, and makes it durable as asked.
pub fn writing(options: OpenOptions, setup: Setup, write: impl FnMut(&mut File, &Setup) -> io::Result<()> + 'static) -> Operation {
    writing_synced_by(File::sync_all, options, setup, write)
}

/// The same with another call for `fsync`.
pub fn writing_synced_by(
    sync: fn(&File) -> io::Result<()>,
    options: OpenOptions,
    setup: Setup,
    mut write: impl FnMut(&mut File, &Setup) -> io::Result<()> + 'static,
) -> Operation {
    Box::new(move |path, tally| {
        let mut file = options.open(path)?;
        write(&mut file, &setup)?;
        tally.moved(setup.payload.len());
        match setup.durability {
            "fsync" => sync(&file),
            "fdatasync" => file.sync_data(),
            _ => Ok(()),
        }
    })
}

/// The payload, in pieces of a block.
pub fn write_blocks(writer: &mut impl Write, setup: &Setup) -> io::Result<()> {
    setup.payload.chunks(setup.value("block")).try_for_each(|each| writer.write_all(each))
}

/// Blocks for the whole file, of which none may be had for nothing.
pub fn preallocate(file: &File, size: usize) -> io::Result<()> {
    if size > 0 {
        fallocate(file, FallocateFlags::empty(), 0, size as u64)?;
    }
    Ok(())
}
