package suite.core;

import java.io.File;
import java.io.IOException;
import org.apache.commons.io.FileUtils;
import org.apache.commons.io.LineIterator;

public final class Lines {
    private Lines() {}

    public static LineIterator of(File file) throws IOException {
        return FileUtils.lineIterator(file, "UTF-8");
    }
}
