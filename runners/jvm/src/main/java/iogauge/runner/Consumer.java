package iogauge.runner;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.ToLongFunction;

/**
 * Takes what an API delivered and does with it what the workload says: the same work for every strategy. It counts and
 * sums over all operations of a span, so that nothing delivered can be optimised away. Of bytes it counts bytes, of
 * characters UTF-16 units, of lines lines. What was written it only counts.
 */
public final class Consumer {

    /** Where single bytes or characters come from, such as {@code InputStream::read} or {@code Reader::read}. */
    @FunctionalInterface
    public interface Source {
        /** The next byte, 0 to 255, or the next UTF-16 unit; or -1 at the end. */
        int read() throws IOException;
    }

    /** Where values of 8 bytes come from, such as {@code DataInputStream::readLong}. */
    @FunctionalInterface
    public interface LongSource {
        /** The next 8 bytes, the first of them in the highest bits. */
        long read() throws IOException;
    }

    /** Where lines come from, such as {@code BufferedReader::readLine}. */
    @FunctionalInterface
    public interface LineSource {
        /** The next line without its end, or null when there is no more. */
        CharSequence read() throws IOException;
    }

    private final Consume consume;
    private final byte[] copy = BufferBytes.copy();
    /** Offset in the file of the byte that comes next. */
    private long position;
    private long count;
    private long sum;
    private Object product;
    private ToLongFunction<Object> sumOfProduct;
    private Object result;

    Consumer(Consume consume) {
        this.consume = consume;
    }

    /** Says at which offset in the file the bytes lie that come next; where a file is read through, nobody needs to. */
    public void at(long offset) {
        position = offset;
    }

    /** Takes the first {@code length} bytes of an array. */
    public void accept(byte[] array, int length) {
        accept(array, 0, length);
    }

    /** Takes {@code length} bytes of an array, from index {@code start} on. */
    public void accept(byte[] array, int start, int length) {
        switch (consume) {
            case NONE -> { }
            case TOUCH -> sum += ArrayBytes.touch(array, start, start + length, position);
            case SUM -> sum += ArrayBytes.sum(array, start, start + length);
        }
        advance(length);
    }

    /** Takes what lies between a buffer's position and its limit; both stay. */
    public void accept(ByteBuffer buffer) {
        if (buffer.hasArray()) {
            accept(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
            return;
        }
        int start = buffer.position();
        int end = buffer.limit();
        switch (consume) {
            case NONE -> { }
            case TOUCH -> sum += BufferBytes.touch(buffer, start, end, position);
            case SUM -> sum += BufferBytes.sum(buffer, start, end, copy);
        }
        advance(end - start);
    }

    /** Takes one byte. For many, {@link #acceptEach} is faster. */
    public void accept(byte value) {
        switch (consume) {
            case NONE -> { }
            case TOUCH -> sum += position % Touch.STEP == 0 ? value & 0xff : 0;
            case SUM -> sum += value & 0xff;
        }
        advance(1);
    }

    /** Takes byte after byte, or character after character, until the source is at its end. */
    public void acceptEach(Source source) throws IOException {
        // The tallies are local variables: fields would be written back after every byte.
        long taken = 0;
        long total = 0;
        int value;
        switch (consume) {
            case NONE -> {
                while (source.read() >= 0) {
                    taken++;
                }
            }
            case TOUCH -> {
                while ((value = source.read()) >= 0) {
                    if ((position + taken) % Touch.STEP == 0) {
                        total += value;
                    }
                    taken++;
                }
            }
            case SUM -> {
                while ((value = source.read()) >= 0) {
                    total += value;
                    taken++;
                }
            }
        }
        sum += total;
        advance(taken);
    }

    /** Takes so many values of 8 bytes each. */
    public void acceptLongs(LongSource source, long values) throws IOException {
        long total = 0;
        switch (consume) {
            case NONE -> {
                for (long i = 0; i < values; i++) {
                    source.read();
                }
            }
            case TOUCH -> {
                for (long i = 0; i < values; i++) {
                    total += Touch.of(source.read(), position + i * Long.BYTES);
                }
            }
            case SUM -> {
                for (long i = 0; i < values; i++) {
                    total += Lanes.fold(Lanes.pairs(source.read()));
                }
            }
        }
        sum += total;
        advance(values * Long.BYTES);
    }

    /** Takes the first {@code length} characters of an array. */
    public void accept(char[] array, int length) {
        if (consume == Consume.SUM) {
            sum += Chars.sum(array, 0, length);
        }
        advance(length);
    }

    /** Takes all characters of a text. */
    public void accept(String text) {
        if (consume == Consume.SUM) {
            sum += Chars.sum(text);
        }
        advance(text.length());
    }

    /** Takes one line, without its end. For many, {@link #acceptLines} is faster. */
    public void acceptLine(CharSequence line) {
        if (consume == Consume.SUM) {
            sum += line.length();
        }
        advance(1);
    }

    /** Takes line after line until the source is at its end. */
    public void acceptLines(LineSource source) throws IOException {
        long taken = 0;
        long total = 0;
        CharSequence line;
        if (consume == Consume.SUM) {
            while ((line = source.read()) != null) {
                total += line.length();
                taken++;
            }
        } else {
            while (source.read() != null) {
                taken++;
            }
        }
        sum += total;
        advance(taken);
    }

    /** Takes bytes that an operation has summed itself. */
    public void summed(long taken, long total) {
        sum += total;
        advance(taken);
    }

    /** To be called before a thread takes a part of a file: nothing of the operation before counts. */
    public void beginPart(long offset) {
        clear();
        position = offset;
    }

    /** Takes what another consumer took of parts of the same file. */
    public void add(Consumer part) {
        summed(part.count, part.sum);
    }

    /** Counts bytes or characters that an API was given to write, or that were only made. */
    public void wrote(long given) {
        count += given;
    }

    /**
     * Remembers what an operation made in memory. That of a span's last operation is summed, after the span.
     *
     * @param sum how; {@link #sumOf} helps. To be a function that captures nothing: making it is in the span.
     */
    @SuppressWarnings("unchecked") // product and function are only used together
    public <P> void made(P product, ToLongFunction<P> sum) {
        this.product = product;
        sumOfProduct = (ToLongFunction<Object>) sum;
    }

    /** Remembers what a function of the user's returned. That of a span's last operation is compared, after the span. */
    void kept(Object returned) {
        result = returned;
    }

    /** A number that stands for that result; null where it cannot be compared. */
    Long result() {
        return Fingerprint.of(result);
    }

    /** The sum of all unsigned bytes. */
    public static long sumOf(byte[] bytes) {
        return ArrayBytes.sum(bytes, 0, bytes.length);
    }

    /** The sum of all UTF-16 units. */
    public static long sumOf(String text) {
        return Chars.sum(text);
    }

    /** A new span begins. */
    void clear() {
        count = 0;
        sum = 0;
    }

    /** A new operation begins, at the start of its file. */
    void begin() {
        position = 0;
        // What the operation before made must not lie in memory beside what this one makes.
        product = null;
        result = null;
    }

    /** A span is over: sums what its last operation made, if it made something. */
    void end() {
        if (product != null) {
            sum = sumOfProduct.applyAsLong(product);
            product = null;
        }
    }

    long count() {
        return count;
    }

    long sum() {
        return sum;
    }

    private void advance(long taken) {
        position += taken;
        count += taken;
    }
}
