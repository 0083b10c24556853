package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a strategy says of itself; the key of the same name in {@code docs/wire.md} explains each item. It begins with
 * {@link #read}, {@link #write} or {@link #copy} and says only what differs from a contestant that runs on Java 17, on the bytes of a
 * plain file, from its start to its end, and whose heap does not grow with the file.
 */
public final class Declaration {

    private final String operation;
    private final String name;
    private final String title;
    private final String call;
    private final Unit unit;
    private final int effort;
    private String medium = "file";
    private String access = "sequential";
    private Sums sums = Sums.BYTE;
    private Set<Consume> consumes;
    private Set<Mode> modes = EnumSet.noneOf(Mode.class);
    private Set<Durability> durabilities = EnumSet.noneOf(Durability.class);
    private String format = "plain";
    private List<Parameter> parameters = List.of();
    private String role = "contestant";
    private boolean generates;
    private boolean mapped;
    private String buffer;
    private boolean borrowed;
    private boolean replaces;
    private boolean bypassesCache;
    private List<String> tripsOn = List.of();
    private String computeOnly;
    private String insteadOf;
    private double memoryPerFileByte;
    private int runtime = 17;

    private Declaration(String operation, String name, String title, String call, Unit unit, int effort) {
        this.operation = operation;
        this.name = name;
        this.title = title;
        this.call = call;
        this.unit = unit;
        this.effort = effort;
    }

    /**
     * A strategy that reads a file, and whose bytes can be consumed in every way.
     *
     * @param name unique, the language, a {@code /}, and lower-case words joined by {@code -}
     * @param title what it is, at most 60 characters
     * @param call the name that its users would type or search for, at most 34 characters
     * @param effort what it costs to write: 1 a one-liner, 2 a plain loop, 3 buffers to manage, 4 mapped memory
     */
    public static Declaration read(String name, String title, String call, Unit unit, int effort) {
        return new Declaration("read", name, title, call, unit, effort)
                .consumes(Consume.NONE, Consume.TOUCH, Consume.SUM);
    }

    /**
     * A strategy that writes a file in every {@link Mode}, but cannot make it durable.
     *
     * @param name as of {@link #read}
     * @param title as of {@link #read}
     * @param call as of {@link #read}
     * @param effort as of {@link #read}
     */
    public static Declaration write(String name, String title, String call, Unit unit, int effort) {
        return new Declaration("write", name, title, call, unit, effort)
                .consumes(Consume.NONE)
                .modes(Mode.TRUNCATE, Mode.APPEND)
                .durabilities(Durability.NONE);
    }

    /**
     * A strategy that copies a file into another one, which it empties where there is one.
     *
     * @param name as of {@link #read}
     * @param title as of {@link #read}
     * @param call as of {@link #read}
     * @param effort as of {@link #read}
     */
    public static Declaration copy(String name, String title, String call, Unit unit, int effort) {
        return new Declaration("copy", name, title, call, unit, effort)
                .consumes(Consume.NONE)
                .modes(Mode.TRUNCATE)
                .durabilities(Durability.NONE);
    }

    /** The numbers that the host chooses. */
    public Declaration parameters(Parameter... parameters) {
        this.parameters = List.of(parameters);
        return this;
    }

    /** It works on the payload in memory and opens no file. */
    public Declaration memory() {
        medium = "memory";
        modes.clear();
        durabilities.clear();
        return this;
    }

    /** It reads {@code block} bytes at each of the {@link Opening#offsets}. */
    public Declaration random() {
        access = "random";
        return this;
    }

    /** What it counts and sums; only bytes can be touched. */
    public Declaration sums(Sums sums) {
        this.sums = sums;
        if (sums != Sums.BYTE) {
            consumes.remove(Consume.TOUCH);
        }
        return this;
    }

    /** The kinds of consuming that it can do. */
    public Declaration consumes(Consume... consumes) {
        this.consumes = EnumSet.noneOf(Consume.class);
        this.consumes.addAll(List.of(consumes));
        return this;
    }

    /** Each operation allocates memory through which the data go: a buffer, the whole file, a text per line. */
    public Declaration newBuffer() {
        buffer = "new";
        return this;
    }

    /** All memory through which the data go is there before. */
    public Declaration reusedBuffer() {
        buffer = "reused";
        return this;
    }

    /** There is no memory of more than a few bytes through which the data go. */
    public Declaration noBuffer() {
        buffer = "none";
        return this;
    }

    /** The program sees the data only where the library has them, and only for a while. */
    public Declaration borrowed() {
        borrowed = true;
        return this;
    }

    /** For an API that maps the file to read it: it moves no byte unless one is looked at. */
    public Declaration mapped() {
        mapped = true;
        noBuffer();
        borrowed();
        return consumes(Consume.TOUCH, Consume.SUM);
    }

    /** It copies what it reads through a mapping into memory of the program. */
    public Declaration mappedAndCopied() {
        mapped = true;
        return reusedBuffer();
    }

    /** It reads or writes the device directly. */
    public Declaration bypassesCache() {
        bypassesCache = true;
        return this;
    }

    /** What a file may have that it reads otherwise than it is, or refuses. */
    public Declaration tripsOn(String... peculiarities) {
        tripsOn = List.of(peculiarities);
        return this;
    }

    /** It puts a new file in the place of one that is there. */
    public Declaration replaces() {
        replaces = true;
        return this;
    }

    /** How it can open the file that it writes. */
    public Declaration modes(Mode... modes) {
        this.modes = EnumSet.noneOf(Mode.class);
        this.modes.addAll(List.of(modes));
        return this;
    }

    /** What it can do to make the file that it writes durable. */
    public Declaration durabilities(Durability... durabilities) {
        this.durabilities = EnumSet.noneOf(Durability.class);
        this.durabilities.addAll(List.of(durabilities));
        return this;
    }

    /** Its file holds the data as the block data of Java's serialization. */
    public Declaration objectStream() {
        format = "java-object-stream";
        return this;
    }

    /** Its file holds the data as gzip packs them. */
    public Declaration gzip() {
        format = "gzip";
        return this;
    }

    /** For the strategy that shows what the harness itself costs: there is nothing to consume. */
    public Declaration nullRole() {
        role = "null";
        return consumes(Consume.NONE);
    }

    /** It does what a publication did: something that is none of the I/O is inside the operation. */
    public Declaration publishedRole() {
        role = "published";
        return this;
    }

    /** It does on the payload, in memory, what other strategies do besides I/O. */
    public Declaration computeOnlyRole() {
        role = "compute_only";
        return memory();
    }

    /** It makes up the data that it writes, as many bytes as the payload has. */
    public Declaration generates() {
        generates = true;
        return this;
    }

    /** It writes through a mapping. */
    public Declaration writesMapped() {
        mapped = true;
        noBuffer();
        return this;
    }

    /** The name of the strategy that does alone what this one does besides I/O. */
    public Declaration computeOnly(String name) {
        computeOnly = name;
        return this;
    }

    /**
     * It is the function of this name once more, whose result may be another one than its file: one of the two is measured.
     *
     * @param name the strategy that takes what the function returns for what the file holds
     */
    public Declaration insteadOf(String name) {
        insteadOf = name;
        return this;
    }

    /** Bytes of heap that one operation holds at its peak, per byte of the file; the payload is not counted. */
    public Declaration memoryPerFileByte(double bytes) {
        memoryPerFileByte = bytes;
        return this;
    }

    /** The oldest Java that can run it. */
    public Declaration runtime(int feature) {
        runtime = feature;
        return this;
    }

    String name() {
        return name;
    }

    String operation() {
        return operation;
    }

    Sums sums() {
        return sums;
    }

    Set<Consume> consumes() {
        return consumes;
    }

    Set<Mode> modes() {
        return modes;
    }

    Set<Durability> durabilities() {
        return durabilities;
    }

    List<Parameter> parameters() {
        return parameters;
    }

    int runtime() {
        return runtime;
    }

    /** Whether it cannot be opened without data. */
    boolean needsPayload() {
        return writes() || operation.equals("copy") || medium.equals("memory");
    }

    /** Whether it cannot be opened without positions. */
    boolean needsOffsets() {
        return access.equals("random");
    }

    /** Whether what it made is in memory, to be summed there; a file is looked at by the host. */
    boolean producesInMemory() {
        return writes() && medium.equals("memory");
    }

    /**
     * Writes all of it, as the host lists it.
     *
     * @param unavailable why it cannot run here, or null
     */
    void list(JsonStringWriter reply, String unavailable) {
        reply.object()
                .value("name", name)
                .value("title", title)
                .value("call", call)
                .value("operation", operation)
                .value("unit", unit.word())
                .value("medium", medium)
                .value("access", access)
                .value("sums", sums.word());
        list(reply, "consumes", consumes);
        list(reply, "modes", modes);
        list(reply, "durabilities", durabilities);
        reply.value("format", format)
                .object("parameters");
        for (Parameter parameter : parameters) {
            parameter.list(reply);
        }
        reply.end()
                .value("effort", effort)
                .value("role", role)
                .value("generates", generates)
                .value("mapped", mapped)
                .value("buffer", buffer)
                .value("data", !operation.equals("read") ? null : borrowed ? "borrowed" : "copied")
                .value("opens", medium.equals("file") ? "each" : null)
                .value("replaces", replaces)
                .value("bypasses_cache", bypassesCache)
                .array("trips_on", tripsOn)
                .value("compute_only", computeOnly)
                .object("needs")
                .value("memory_per_file_byte", memoryPerFileByte)
                .value("runtime", String.valueOf(runtime))
                .end()
                .value("unavailable", unavailable);
        if (insteadOf != null) {
            reply.value("instead_of", insteadOf);
        }
        reply.end();
    }

    private static void list(JsonStringWriter reply, String key, Collection<? extends Word> words) {
        reply.array(key);
        for (Word word : words) {
            reply.value(word.word());
        }
        reply.end();
    }

    private boolean writes() {
        return operation.equals("write");
    }
}
