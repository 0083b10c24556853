package iogauge.runner;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * What the host asks a strategy to prepare for, checked against its declaration. Data are read from their file when a
 * strategy asks for them, in the form that it asks for: each call reads anew, and nothing is kept here.
 */
public final class Opening {

    private final Map<String, Integer> parameters;
    private final Consume consume;
    private final Mode mode;
    private final Durability durability;
    private final Path payload;
    private final Path offsets;

    Opening(Request request, Declaration declaration) throws Refusal {
        String strategy = "'" + declaration.name() + "'";
        Request workload = request.object("workload");
        String operation = workload.string("operation");
        if (!operation.equals(declaration.operation())) {
            throw new Refusal("'operation' of " + strategy + " is " + declaration.operation() + ", not " + operation);
        }
        consume = Word.choose("'consume' of " + strategy, workload.string("consume"), declaration.consumes());
        mode = Word.choose("'mode' of " + strategy, workload.stringOrNull("mode"), declaration.modes());
        durability = Word.choose("'durability' of " + strategy, workload.stringOrNull("durability"),
                declaration.durabilities());
        parameters = parameters(request.object("parameters"), declaration);
        payload = declaration.needsPayload() ? file(request, "payload", strategy) : null;
        offsets = declaration.needsOffsets() ? file(request, "offsets", strategy) : null;
    }

    /** The value of a parameter that the strategy declared. */
    public int parameter(String name) {
        return parameters.get(name);
    }

    /** Whether the file that is written keeps what it holds. */
    public boolean append() {
        return mode == Mode.APPEND;
    }

    /** How the file that is written is to be made durable; null where none is written. */
    public Durability durability() {
        return durability;
    }

    /** How to open the file that is written, where an API takes options: creates, empties or appends, and DSYNC. */
    public OpenOption[] options() {
        OpenOption open = append() ? StandardOpenOption.APPEND : StandardOpenOption.TRUNCATE_EXISTING;
        return durability == Durability.DSYNC
                ? new OpenOption[] {StandardOpenOption.CREATE, StandardOpenOption.WRITE, open, StandardOpenOption.DSYNC}
                : new OpenOption[] {StandardOpenOption.CREATE, StandardOpenOption.WRITE, open};
    }

    /** The same for a program that writes over what is there. */
    public OpenOption[] overwriting() {
        return durability == Durability.DSYNC
                ? new OpenOption[] {StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DSYNC}
                : new OpenOption[] {StandardOpenOption.CREATE, StandardOpenOption.WRITE};
    }

    /** The payload; an array holds less than 2 GiB. */
    public byte[] payload() throws IOException {
        return Files.readAllBytes(payload);
    }

    /**
     * The payload, decoded from UTF-8.
     *
     * @throws IOException also when it is not UTF-8
     */
    public String text() throws IOException {
        return Files.readString(payload);
    }

    /** The file that is to be copied. */
    public Path source() {
        return payload;
    }

    /** A consumer of one thread among several, for parts of a file; {@link Consumer#add} adds what it took. */
    public Consumer consumer() {
        return new Consumer(consume);
    }

    /** Bytes of the payload, for a strategy that makes up its data. */
    public int payloadLength() throws IOException {
        return Math.toIntExact(Files.size(payload));
    }

    /** The positions in the file to read at, in order. */
    public long[] offsets() throws IOException {
        ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(offsets)).order(ByteOrder.LITTLE_ENDIAN);
        if (content.remaining() % Long.BYTES != 0) {
            throw new IOException("the offsets " + offsets + " are cut: " + content.remaining() + " bytes");
        }
        long[] positions = new long[content.remaining() / Long.BYTES];
        content.asLongBuffer().get(positions);
        return positions;
    }

    Consume consume() {
        return consume;
    }

    @Override
    public String toString() {
        return parameters + (payload == null ? "" : ", payload " + payload)
                + (offsets == null ? "" : ", offsets " + offsets);
    }

    private static Map<String, Integer> parameters(Request given, Declaration declaration) throws Refusal {
        Map<String, Integer> values = new HashMap<>();
        for (Parameter parameter : declaration.parameters()) {
            int value = given.integer(parameter.name());
            if (value < parameter.min() || value > parameter.max()) {
                throw new Refusal("'" + parameter.name() + "' must be " + parameter.min() + " to " + parameter.max()
                        + ", not " + value);
            }
            values.put(parameter.name(), value);
        }
        for (String key : given.keys()) {
            if (!values.containsKey(key)) {
                throw new Refusal("'" + declaration.name() + "' has no parameter '" + key + "'");
            }
        }
        return values;
    }

    private static Path file(Request request, String key, String strategy) throws Refusal {
        String path = request.stringOrNull(key);
        if (path == null) {
            throw new Refusal(strategy + " needs '" + key + "', the path of a prepared file");
        }
        Path file = Path.of(path);
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new Refusal("'" + key + "' of " + strategy + " is no file that can be read: " + path);
        }
        return file;
    }
}
