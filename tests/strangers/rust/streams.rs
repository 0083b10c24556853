use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// Anything that can be read will do.
pub fn size(mut input: impl Read) -> io::Result<u64> {
    io::copy(&mut input, &mut io::sink())
}

pub fn lines_in<R: BufRead>(reader: R) -> usize {
    reader.lines().map_while(Result::ok).count()
}

pub fn words<R>(source: &mut R) -> io::Result<usize>
where
    R: BufRead + ?Sized,
{
    let mut line = String::new();
    let mut words = 0;
    while source.read_line(&mut line)? > 0 {
        words += line.split_whitespace().count();
        line.clear();
    }
    Ok(words)
}

pub fn tail<S: Read + Seek>(mut file: S) -> io::Result<Vec<u8>> {
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(100)))?;
    let mut last = Vec::new();
    file.read_to_end(&mut last)?;
    file.rewind()?;
    io::copy(&mut file, &mut io::sink())?;
    Ok(last)
}

pub fn boxed(stream: Box<dyn Read>) -> io::Result<usize> {
    Ok(BufReader::new(stream).split(b'\n').count())
}

pub fn dynamic(input: &mut dyn BufRead) -> io::Result<usize> {
    let mut spaces = 0;
    loop {
        let block = input.fill_buf()?;
        if block.is_empty() {
            return Ok(spaces);
        }
        spaces += block.iter().filter(|&&byte| byte == b' ').count();
        let used = block.len();
        input.consume(used);
    }
}
