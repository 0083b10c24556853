package iogauge.runner;

import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A number that is the same for the same result, by which the host compares what two functions return. */
final class Fingerprint {

    private static final int MOST = 100; // items, or thousands of characters
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;
    private static final int BITS = 48;

    private Fingerprint() {}

    /** In 48 bits; null for what cannot be compared: none, an object, a large table. */
    static Long of(Object result) {
        StringBuilder text = new StringBuilder();
        if (result == null || !write(result, text, 0)) {
            return null;
        }
        long hash = OFFSET;
        for (byte each : text.toString().getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * PRIME;
        }
        return (hash ^ hash >>> BITS) & (1L << BITS) - 1;
    }

    private static boolean write(Object thing, StringBuilder text, int depth) {
        if (thing == null || thing instanceof Boolean || thing instanceof Enum<?>) {
            text.append(thing);
        } else if (thing instanceof Number number) {
            writeNumber(number, text);
        } else if (thing instanceof CharSequence || thing instanceof Character) {
            String said = thing.toString();
            text.append(said.length()).append('"').append(said);
            return said.length() <= 1000 * MOST;
        } else if (depth > 4) {
            return false;
        } else if (thing instanceof Optional<?> optional) {
            return write(optional.orElse(null), text, depth + 1);
        } else if (thing.getClass().isArray()) {
            return writeArray(thing, text, depth);
        } else if (thing instanceof Map<?, ?> map) {
            return map.size() <= MOST && writeSorted(map.entrySet(), text, depth);
        } else if (thing instanceof Map.Entry<?, ?> entry) {
            return write(entry.getKey(), text, depth + 1) && write(entry.getValue(), text.append(':'), depth + 1);
        } else if (thing instanceof Set<?> set) {
            return set.size() <= MOST && writeSorted(set, text, depth);
        } else if (thing instanceof List<?> list) {
            return list.size() <= MOST && writeEach(list, text, depth);
        } else if (thing instanceof Record) {
            return writeRecord(thing, text, depth);
        } else {
            return false;
        }
        return true;
    }

    /** Whole numbers as such; sums in another order differ in the last digits of the others. */
    private static void writeNumber(Number number, StringBuilder text) {
        double value = number.doubleValue();
        boolean fraction = number instanceof Double || number instanceof Float;
        text.append(fraction ? String.format(Locale.ROOT, "%.8e", value) : number.toString());
    }

    private static boolean writeEach(Collection<?> items, StringBuilder text, int depth) {
        for (Object each : items) {
            if (!write(each, text.append(','), depth + 1)) {
                return false;
            }
        }
        text.append(';');
        return true;
    }

    private static boolean writeSorted(Collection<?> items, StringBuilder text, int depth) {
        List<String> told = new ArrayList<>();
        for (Object each : items) {
            StringBuilder one = new StringBuilder();
            if (!write(each, one, depth + 1)) {
                return false;
            }
            told.add(one.toString());
        }
        Collections.sort(told);
        text.append(told);
        return true;
    }

    private static boolean writeArray(Object array, StringBuilder text, int depth) {
        int length = Array.getLength(array);
        if (length > (array instanceof byte[] || array instanceof char[] ? 1000 * MOST : MOST)) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (!write(Array.get(array, i), text.append(','), depth + 1)) {
                return false;
            }
        }
        text.append(';');
        return true;
    }

    private static boolean writeRecord(Object thing, StringBuilder text, int depth) {
        try {
            for (RecordComponent each : thing.getClass().getRecordComponents()) {
                each.getAccessor().setAccessible(true);
                if (!write(each.getAccessor().invoke(thing), text.append(','), depth + 1)) {
                    return false;
                }
            }
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }
}
