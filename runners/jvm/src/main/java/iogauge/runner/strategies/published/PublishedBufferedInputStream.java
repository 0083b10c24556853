package iogauge.runner.strategies.published;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/** {@link BufferedInputStream#read(byte[])}, with the default buffer: a block that is no smaller passes it by. */
public final class PublishedBufferedInputStream extends SummedStream {

    public PublishedBufferedInputStream() {
        super("buffered-input-stream", "BufferedInputStream");
    }

    @Override
    InputStream open(String path) throws IOException {
        return new BufferedInputStream(new FileInputStream(path));
    }
}
