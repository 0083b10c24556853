package iogauge.runner;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The functions that the host found in the user's source. Their classes, and the libraries that these need, are loaded apart
 * from the runner's: a library that strategies use may be there in another version.
 */
final class OwnSource {

    private static final String LIBRARIES = File.separator + "target" + File.separator + "lib" + File.separator;
    private static final String TOLD = "own" + File.separator + "functions.json";

    private OwnSource() {}

    /** What the host tells of the user's functions, or null where there are none. */
    static Path told() {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            int end = entry.lastIndexOf(LIBRARIES);
            if (end >= 0) {
                Path file = Path.of(entry.substring(0, end), TOLD);
                return Files.exists(file) ? file : null;
            }
        }
        return null;
    }

    /** Adds the strategies of these functions, by name. */
    static void add(Path file, Map<String, Strategy> found) throws Refusal {
        JsonObject told = read(file);
        ClassLoader loader = loader(told, file.getParent().getParent());
        for (Object each : told.getArray("functions")) {
            JsonObject one = (JsonObject) each;
            OwnFunction function = OwnFunction.of(Own.unlike(one.getString("language"), one.getString("name"), found), one, loader);
            String name = function.declaration().name();
            found.put(name, function);
            OwnFunction other = function.asResult();
            if (other != null) {
                found.put(name + Own.ENDING, other);
            }
        }
    }

    private static JsonObject read(Path file) throws Refusal {
        try {
            return JsonParser.object().from(Files.readString(file));
        } catch (IOException | JsonParserException e) {
            throw new Refusal(file + " cannot be read: " + e.getMessage());
        }
    }

    /** The loader of these classes: paths are seen from the folder of the build. */
    private static ClassLoader loader(JsonObject told, Path build) throws Refusal {
        List<URL> urls = new ArrayList<>();
        try {
            for (Object each : told.getArray("paths")) {
                urls.add(build.resolve((String) each).toUri().toURL());
            }
        } catch (MalformedURLException e) {
            throw new Refusal("no path: " + e.getMessage());
        }
        return new URLClassLoader("own", urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
