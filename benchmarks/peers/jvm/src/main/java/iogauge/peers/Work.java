package iogauge.peers;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What is to be measured, as {@code works.py} wrote it down.
 *
 * @param opening the request that opens the strategy
 * @param path what its operations read; in memory it means nothing
 * @param due what each operation has to consume
 * @param deviceBytes how many bytes a cold operation has to fetch from the device; 0 where it is not cold
 * @param written the files that operations write, or null
 */
record Work(String opening, String path, Due due, long deviceBytes, WrittenFiles written) {

    /** The variable of the environment that names the file: the processes that JMH starts inherit it. */
    private static final String VARIABLE = "IOGAUGE_PEER_WORK";

    static Work ofEnvironment() throws IOException, JsonParserException {
        return read(Path.of(System.getenv(VARIABLE)));
    }

    static Work read(Path file) throws IOException, JsonParserException {
        JsonObject found = JsonParser.object().from(Files.readString(file));
        JsonObject due = found.getObject("due");
        return new Work(
                found.getString("opening"),
                found.getString("path"),
                new Due(due.getLong("count"), due.isNull("sum") ? null : due.getLong("sum"), due.getBoolean("of_last")),
                found.getLong("device_bytes"),
                found.isNull("written") ? null : WrittenFiles.of(found.getObject("written")));
    }

    boolean cold() {
        return deviceBytes > 0;
    }
}
