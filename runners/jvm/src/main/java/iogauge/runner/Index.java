package iogauge.runner;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Which class carries out which strategy. The build writes it down, so that a fork, which serves one strategy, need
 * load no class of the others to find it.
 */
public final class Index {

    private static final String FILE = "iogauge/runner/strategies.index";
    private static final String NAME = "(java|kotlin)/[a-z0-9]+(-[a-z0-9]+)*";

    private Index() {}

    /**
     * A step of the build: looks for strategies among the compiled classes and writes the index beside them.
     *
     * @param arguments the folder of the classes
     * @throws IllegalStateException when two strategies have the same name, or one has a name that is not allowed
     */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        Path classes = Path.of(arguments[0]);
        // Sorted: the same sources give the same bytes.
        Map<String, String> classOf = new TreeMap<>();
        try (Stream<Path> files = Files.walk(classes.resolve("iogauge/runner/strategies"))) {
            for (Path file : (Iterable<Path>) files.filter(path -> path.toString().endsWith(".class"))::iterator) {
                add(classes.relativize(file), classOf);
            }
        }
        StringBuilder lines = new StringBuilder();
        classOf.forEach((name, type) -> lines.append(name).append(' ').append(type).append('\n'));
        Files.writeString(classes.resolve(FILE), lines);
    }

    /** The names of the classes by those of their strategies. */
    static Map<String, String> read() throws Refusal {
        Map<String, String> classOf = new HashMap<>();
        try (InputStream in = Index.class.getClassLoader().getResourceAsStream(FILE)) {
            if (in == null) {
                throw new Refusal("this build has no " + FILE + ": 'mvn package' writes it");
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            String line;
            while ((line = lines.readLine()) != null) {
                int space = line.indexOf(' ');
                classOf.put(line.substring(0, space), line.substring(space + 1));
            }
        } catch (IOException e) {
            throw new Refusal("cannot read " + FILE + ": " + e, e);
        }
        return classOf;
    }

    /** A strategy, made from the name of its class. */
    static Strategy strategy(String type) throws ReflectiveOperationException {
        return (Strategy) Class.forName(type).getConstructor().newInstance();
    }

    private static void add(Path file, Map<String, String> classOf) throws ReflectiveOperationException {
        String type = file.toString().replace(file.getFileSystem().getSeparator(), ".").replaceFirst("\\.class$", "");
        Class<?> candidate = Class.forName(type, false, Index.class.getClassLoader());
        if (!Strategy.class.isAssignableFrom(candidate) || Modifier.isAbstract(candidate.getModifiers())) {
            return;
        }
        String name = strategy(type).declaration().name();
        if (!name.matches(NAME)) {
            throw new IllegalStateException(type + " has a name that is not allowed: '" + name + "'");
        }
        String other = classOf.put(name, type);
        if (other != null) {
            throw new IllegalStateException(type + " and " + other + " are both called '" + name + "'");
        }
    }
}
