package iogauge.runner;

import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/**
 * Ways to read of the user's own: the public static methods of their jar's main class that take a path and return what
 * they read. That is consumed inside the timed span, as it is for every other way. What a method returns is no
 * declaration that it is all of the file: so there are two strategies of one that returns bytes, a text or lines, and the
 * host finds out which it is.
 */
final class Own implements Strategy {

    private static final String JAR = "own" + File.separator + "code.jar"; // where the host puts it
    private static final String ASKED = "function.txt"; // what it puts beside it: the method that is asked for
    static final String ENDING = "-as-result";
    private static final int LONGEST_CALL = 34;
    private static final Map<Class<?>, Function<String, Object>> PATHS = Map.of(
            Path.class, Path::of, File.class, File::new, String.class, path -> path, URI.class, path -> Path.of(path).toUri());
    private static final List<Class<?>> PREFERRED = List.of(Path.class, File.class, String.class, URI.class);

    private static volatile String opened; // the method that is called

    private final String name;
    private final Method method;
    private final boolean asResult;

    private Own(String name, Method method, boolean asResult) {
        this.name = name;
        this.method = method;
        this.asResult = asResult;
    }

    /** The strategies in the user's jar or source, by name; none where there is no such code. */
    static Map<String, Strategy> strategies() throws Refusal {
        Map<String, Strategy> found = new TreeMap<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (entry.endsWith(JAR)) {
                add(entry, found);
            }
        }
        Path told = OwnSource.told();
        if (told != null) {
            OwnSource.add(told, found);
        }
        return found;
    }

    /** Whether there is code of the user's. */
    static boolean isThere() {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (entry.endsWith(JAR)) {
                return true;
            }
        }
        return OwnSource.told() != null;
    }

    /** A function of this name is called from now on. */
    static void opened(String function) {
        opened = function;
    }

    /** What to say of code that ended the program. */
    static String ended() {
        return (opened == null ? "it" : opened + "()") + " ends the program";
    }

    private static void add(String jar, Map<String, Strategy> found) throws Refusal {
        String type = mainClass(jar);
        String asked = asked(jar);
        List<Method> methods;
        try {
            methods = methods(Class.forName(type));
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new Refusal("its main class " + type + " cannot be loaded: " + e, e);
        }
        TreeSet<String> added = new TreeSet<>();
        for (Method each : methods) {
            String name = unlike("java", each.getName(), found);
            if ((asked == null || asked.equals(each.getName())) && added.add(each.getName())) {
                found.put(name, new Own(name, each, false));
                if (Returned.sums(each) != Sums.NOTHING) {
                    found.put(name + ENDING, new Own(name + ENDING, each, true));
                }
            }
        }
        if (found.isEmpty()) {
            throw new Refusal("its main class " + type + " has no public static method "
                    + (asked == null ? "" : asked + "() ") + "of a Path" + listed(methods));
        }
    }

    /** The name of a function's strategy; with a number behind it where another one is called so. */
    static String unlike(String language, String function, Map<String, Strategy> found) {
        String words = function.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
        String name = language + "/own-" + words.replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        String free = name;
        for (int number = 2; found.containsKey(free) || found.containsKey(free + ENDING); number++) {
            free = name + "-" + number;
        }
        return free;
    }

    /** The public static methods of a path; of several with the same name that of a Path comes first. */
    private static List<Method> methods(Class<?> type) {
        Method[] all = type.getMethods(); // in no order that can be relied on
        Arrays.sort(all, Comparator.comparing(Method::getName));
        List<Method> found = new ArrayList<>();
        for (Class<?> path : PREFERRED) {
            for (Method each : all) {
                boolean takesPath = each.getParameterCount() == 1 && each.getParameterTypes()[0] == path;
                if (Modifier.isStatic(each.getModifiers()) && takesPath) {
                    found.add(each);
                }
            }
        }
        return found;
    }

    private static String listed(List<Method> methods) {
        TreeSet<String> names = new TreeSet<>();
        for (Method each : methods) {
            names.add(each.getName());
        }
        return names.isEmpty() ? "" : "; there are: " + String.join(", ", names);
    }

    /** The method that the user asks for, or null. */
    private static String asked(String jar) throws Refusal {
        Path file = Path.of(jar).resolveSibling(ASKED);
        try {
            return Files.exists(file) ? Files.readString(file).strip() : null;
        } catch (IOException e) {
            throw new Refusal(file + " cannot be read: " + e.getMessage());
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
        return declared(name, call, call, asResult ? Sums.NOTHING : Returned.sums(method), asResult);
    }

    /** The declaration of a function, by the sums of what it returns. */
    static Declaration declared(String name, String function, String call, Sums sums, boolean asResult) {
        String shown = call.length() > LONGEST_CALL ? function : call;
        String title = function.substring(0, Math.min(function.length(), LONGEST_CALL)) + ", of your own";
        Declaration declared = Declaration.read(name, title,
                shown.substring(0, Math.min(shown.length(), LONGEST_CALL)),
                sums == Sums.LINE_UTF16 ? Unit.LINE : Unit.FILE, 1).newBuffer();
        return switch (sums) {
            case NOTHING -> {
                declared.sums(sums).consumes(Consume.NONE);
                yield asResult ? declared.insteadOf(name.substring(0, name.length() - ENDING.length())) : declared;
            }
            case UTF16 -> declared.sums(sums).memoryPerFileByte(3);
            case BYTE -> declared.memoryPerFileByte(1);
            default -> declared.sums(sums);
        };
    }

    @Override
    public Operation open(Opening opening) throws IllegalAccessException {
        Function<String, Object> as = PATHS.get(method.getParameterTypes()[0]);
        MethodHandle way = MethodHandles.publicLookup().unreflect(method);
        boolean told = declaration().sums() != Sums.NOTHING; // else it made something of the file, which is its own
        opened = method.getName();
        return (path, consumer) -> {
            try {
                Object read = way.invoke(as.apply(path));
                if (told) {
                    Returned.take(read, consumer, method.getName());
                } else {
                    consumer.kept(Returned.toTheEnd(read));
                }
            } catch (OutOfMemoryError e) {
                throw e;
            } catch (Throwable e) {
                throw new Failed(e, method.getDeclaringClass());
            }
        };
    }
}
