package iogauge.runner;

import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Ways to read of the user's own: the public static methods of their jar's main class that take a path and return what
 * they read. That is consumed inside the timed span, as it is for every other way.
 */
final class Own implements Strategy {

    private static final String JAR = "own" + File.separator + "code.jar"; // where the host puts it
    private static final int LONGEST_CALL = 34;
    private static final Map<Class<?>, Function<String, Object>> PATHS = Map.of(
            Path.class, Path::of, File.class, File::new, String.class, path -> path);

    private final String name;
    private final Method method;

    private Own(String name, Method method) {
        this.name = name;
        this.method = method;
    }

    /** The strategies in the user's jar, by name; none where there is no such jar. */
    static Map<String, Strategy> strategies() throws Refusal {
        Map<String, Strategy> found = new TreeMap<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (entry.endsWith(JAR)) {
                add(entry, found);
            }
        }
        return found;
    }

    private static void add(String jar, Map<String, Strategy> found) throws Refusal {
        String type = mainClass(jar);
        try {
            for (Method each : Class.forName(type).getMethods()) {
                boolean takesPath = each.getParameterCount() == 1 && PATHS.containsKey(each.getParameterTypes()[0]);
                if (Modifier.isStatic(each.getModifiers()) && takesPath) {
                    String words = each.getName().replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
                    String name = "java/own-" + words.replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
                    found.put(name, new Own(name, each));
                }
            }
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new Refusal("its main class " + type + " cannot be loaded: " + e, e);
        }
        if (found.isEmpty()) {
            throw new Refusal("its main class " + type + " has no public static method of a Path");
        }
    }

    private static String mainClass(String jar) throws Refusal {
        try (JarFile file = new JarFile(jar)) {
            Attributes attributes = file.getManifest() == null ? null : file.getManifest().getMainAttributes();
            String type = attributes == null ? null : attributes.getValue(Attributes.Name.MAIN_CLASS);
            if (type == null) {
                throw new Refusal("it names no main class: jar --create --file X.jar --main-class NAME ...");
            }
            return type;
        } catch (IOException e) {
            throw new Refusal("it cannot be read: " + e.getMessage());
        }
    }

    @Override
    public Declaration declaration() {
        String call = method.getName();
        Class<?> returned = method.getReturnType();
        boolean lines = isLines();
        Unit unit = lines ? Unit.LINE : Unit.FILE;
        Declaration declared = Declaration.read(name, call + ", of your own",
                call.substring(0, Math.min(call.length(), LONGEST_CALL)), unit, 1).newBuffer();
        if (lines) {
            return declared.sums(Sums.LINE_UTF16);
        }
        if (returned == String.class) {
            return declared.sums(Sums.UTF16).memoryPerFileByte(3);
        }
        if (returned == byte[].class || ByteBuffer.class.isAssignableFrom(returned)) {
            return declared.memoryPerFileByte(1);
        }
        return declared.sums(Sums.NOTHING).consumes(Consume.NONE);
    }

    /** Whether it returns several of what is text. */
    private boolean isLines() {
        Class<?> returned = method.getReturnType();
        boolean several = Iterable.class.isAssignableFrom(returned) || Stream.class.isAssignableFrom(returned);
        return several && method.getGenericReturnType() instanceof ParameterizedType type
                && type.getActualTypeArguments()[0] instanceof Class<?> item && CharSequence.class.isAssignableFrom(item);
    }

    @Override
    public Operation open(Opening opening) throws IllegalAccessException {
        Function<String, Object> as = PATHS.get(method.getParameterTypes()[0]);
        MethodHandle way = MethodHandles.publicLookup().unreflect(method);
        boolean told = declaration().sums() != Sums.NOTHING; // else it made something of the file, which is its own
        return (path, consumer) -> {
            try {
                Object read = way.invoke(as.apply(path));
                if (told) {
                    take(read, consumer);
                }
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private static void take(Object read, Consumer consumer) {
        if (read instanceof byte[] bytes) {
            consumer.accept(bytes, bytes.length);
        } else if (read instanceof ByteBuffer buffer) {
            consumer.accept(buffer);
        } else if (read instanceof String text) {
            consumer.accept(text);
        } else if (read instanceof Iterable<?> lines) {
            lines.forEach(line -> consumer.acceptLine((CharSequence) line));
        } else {
            try (Stream<?> lines = (Stream<?>) read) {
                lines.forEachOrdered(line -> consumer.acceptLine((CharSequence) line));
            }
        }
    }
}
