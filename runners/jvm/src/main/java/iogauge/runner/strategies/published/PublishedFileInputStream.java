package iogauge.runner.strategies.published;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/** {@link FileInputStream#read(byte[])}. */
public final class PublishedFileInputStream extends SummedStream {

    public PublishedFileInputStream() {
        super("file-input-stream", "FileInputStream");
    }

    @Override
    InputStream open(String path) throws IOException {
        return new FileInputStream(path);
    }
}
