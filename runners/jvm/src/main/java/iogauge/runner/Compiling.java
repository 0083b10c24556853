package iogauge.runner;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A step of a build: compiles source of the user's, first what is Kotlin, for Java 17 or, where it needs a newer one, for
 * that. So one build serves several versions.
 */
final class Compiling {

    private static final int FIRST = 17;
    private static final int PROCESSORS_ASKED_FOR = 21; // from here on javac wants to be told to use them
    private static final String PROCESSORS = "META-INF/services/javax.annotation.processing.Processor";
    private static final Pattern NEWER = Pattern.compile("use -source (\\d+) or higher|--release (\\d+) or higher");

    private static final Pattern MISSING =
            Pattern.compile("cannot find symbol|does not exist|wrong version|[Uu]nresolved reference|compiled by a newer|bytecode built with JVM");
    private static final String KOTLIN = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler";

    private Compiling() {}

    /** Something that is compiled for a release of Java. */
    private interface Attempt {
        boolean succeeds(int release, StringWriter said) throws Exception;
    }

    /** The argument is a file that says what to compile, and with which class path. */
    public static void main(String[] arguments) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            System.out.println("error: this Java has no compiler; install a JDK");
            System.exit(1);
        }
        JsonObject told = JsonParser.object().from(Files.readString(Path.of(arguments[0])));
        if (!strings(told, "kotlin").isEmpty()) {
            attempt((release, said) -> compilesKotlin(told, release, said));
        }
        if (!strings(told, "java").isEmpty()) {
            attempt((release, said) -> compiles(compiler, told, release, said));
        }
        System.exit(0); // a compiler may have left threads
    }

    private static void attempt(Attempt attempt) throws Exception {
        int newest = Runtime.version().feature();
        int release = Math.min(FIRST, newest);
        StringWriter first = new StringWriter();
        StringWriter said = first;
        while (!attempt.succeeds(release, said)) {
            int needed = needed(said.toString(), release, newest);
            if (needed == release) {
                System.out.println(first);
                System.exit(1);
            }
            release = needed;
            said = new StringWriter();
        }
    }

    /** Kotlin's compiler also reads the Java sources that it is given. */
    private static boolean compilesKotlin(JsonObject told, int release, StringWriter said) throws Exception {
        List<URL> jars = new ArrayList<>();
        for (String each : strings(told, "compiler")) {
            jars.add(new File(each).toURI().toURL());
        }
        List<String> options = new ArrayList<>(List.of("-d", told.getString("into"),
                "-cp", String.join(File.pathSeparator, strings(told, "class_path")), "-jvm-target", "" + release,
                "-Xjdk-release=" + release, "-no-stdlib", "-no-reflect", "-nowarn"));
        options.addAll(strings(told, "kotlin"));
        options.addAll(strings(told, "java"));
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (URLClassLoader loader = new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> compiler = Class.forName(KOTLIN, true, loader);
            Object ended = compiler.getMethod("exec", PrintStream.class, String[].class).invoke(
                    compiler.getConstructor().newInstance(),
                    new PrintStream(printed, true, StandardCharsets.UTF_8), options.toArray(String[]::new));
            said.write(printed.toString(StandardCharsets.UTF_8));
            return ended.toString().equals("OK");
        }
    }

    /** The release to try next; the same where that would not help. */
    private static int needed(String said, int release, int newest) {
        Matcher newer = NEWER.matcher(said);
        if (newer.find()) {
            int asked = Integer.parseInt(newer.group(1) != null ? newer.group(1) : newer.group(2));
            return asked > release && asked <= newest ? asked : release;
        }
        // A class or a method that is not there may be one of a newer library.
        boolean missing = MISSING.matcher(said).find();
        return missing && release < newest ? newest : release;
    }

    private static boolean compiles(JavaCompiler compiler, JsonObject told, int release, StringWriter said) throws Exception {
        List<String> classPath = strings(told, "class_path");
        List<String> options = new ArrayList<>(List.of("--release", "" + release, "-encoding", "UTF-8", "-nowarn", "-g",
                "-XDdiags.formatterOptions=-source", "-implicit:none", "-d", told.getString("into"),
                "-cp", String.join(File.pathSeparator, classPath)));
        // What the host did not find is no part of what the build is known by: it must not be compiled.
        options.addAll(List.of("-sourcepath", told.getString("into")));
        boolean processed = hasProcessors(classPath);
        if (!processed) {
            options.add("-proc:none");
        } else if (Runtime.version().feature() >= PROCESSORS_ASKED_FOR) {
            options.add("-proc:full");
        }
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            return compiler.getTask(said, files, null, options, null,
                    files.getJavaFileObjectsFromStrings(strings(told, "java"))).call();
        }
    }

    private static boolean hasProcessors(List<String> classPath) {
        return classPath.stream().anyMatch(entry -> {
            try (JarFile jar = new JarFile(entry)) {
                return jar.getEntry(PROCESSORS) != null;
            } catch (java.io.IOException e) {
                return new File(entry, PROCESSORS).exists(); // a folder
            }
        });
    }

    private static List<String> strings(JsonObject told, String key) {
        return OwnCall.strings(told.getArray(key));
    }
}
