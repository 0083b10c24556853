package iogauge.peers;

import com.grack.nanojson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * New files, one for each operation of a batch.
 *
 * @param folder where they lie
 * @param batch how many there are before they are removed
 * @param like a file that each has to equal
 * @param sizeOnly whether only their sizes have to be equal
 */
record WrittenFiles(Path folder, int batch, Path like, boolean sizeOnly) {

    static WrittenFiles of(JsonObject found) {
        return new WrittenFiles(Path.of(found.getString("folder")), found.getInt("batch"),
                Path.of(found.getString("like")), found.getBoolean("size_only"));
    }

    String[] paths(int count) {
        String[] paths = new String[count];
        for (int i = 0; i < count; i++) {
            paths[i] = folder.resolve(i + ".written").toString();
        }
        return paths;
    }

    /** Looks at the files as iogauge does, and removes them. */
    void checkAndRemove(String[] paths) throws IOException {
        for (String path : paths) {
            Path file = Path.of(path);
            boolean right = sizeOnly ? Files.size(file) == Files.size(like) : Files.mismatch(file, like) == -1;
            if (!right) {
                throw new IllegalStateException("a file does not hold what was to be written: " + path);
            }
            Files.delete(file);
        }
    }
}
