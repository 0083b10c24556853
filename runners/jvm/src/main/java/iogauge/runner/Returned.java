package iogauge.runner;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

/**
 * What methods of the user's own return. Their classes may have been loaded apart from the runner's, with a Kotlin of their
 * own: what is Kotlin's is known by its name.
 */
final class Returned {

    private static final String SEQUENCE = "kotlin.sequences.Sequence";
    private static final String FAILURE = "kotlin.Result$Failure";

    private static Class<?> ordinary; // a class of which nothing is left to be read, found to be so before

    private Returned() {}

    /** What can be counted and summed of what a method returns. */
    static Sums sums(Method method) {
        Class<?> returned = method.getReturnType();
        if (isLines(method)) {
            return Sums.LINE_UTF16;
        }
        if (returned == String.class) {
            return Sums.UTF16;
        }
        return returned == byte[].class || ByteBuffer.class.isAssignableFrom(returned) ? Sums.BYTE : Sums.NOTHING;
    }

    /** Whether it returns several of what is text. */
    private static boolean isLines(Method method) {
        Class<?> returned = method.getReturnType();
        boolean several = Iterable.class.isAssignableFrom(returned) || Stream.class.isAssignableFrom(returned)
                || named(SEQUENCE, returned) != null;
        return several && method.getGenericReturnType() instanceof ParameterizedType type
                && bound(type.getActualTypeArguments()[0]) instanceof Class<?> item && CharSequence.class.isAssignableFrom(item);
    }

    /** What {@code ? extends String} is at least. */
    private static Type bound(Type type) {
        return type instanceof WildcardType wild ? wild.getUpperBounds()[0] : type;
    }

    /** Hands over what a method read. */
    static void take(Object read, Consumer consumer, String method) throws Throwable {
        if (read instanceof byte[] bytes) {
            consumer.accept(bytes, bytes.length);
        } else if (read instanceof ByteBuffer buffer) {
            consumer.accept(buffer);
        } else if (read instanceof String text) {
            consumer.accept(text);
        } else if (read instanceof Iterable<?> lines) {
            lines.forEach(line -> consumer.acceptLine((CharSequence) line));
        } else if (read instanceof Stream<?> lines) {
            try (lines) {
                lines.forEachOrdered(line -> consumer.acceptLine((CharSequence) line));
            }
        } else {
            Iterator<?> lines = iterator(read);
            if (lines == null) {
                throw new IllegalStateException(method + "() returned " + read);
            }
            lines.forEachRemaining(line -> consumer.acceptLine((CharSequence) line));
        }
    }

    /**
     * What is to be read later is read now, what another thread does is waited for, and what was returned open is closed.
     * The result, or null where it can be looked at but once.
     */
    static Object toTheEnd(Object returned) throws Throwable {
        if (returned == null || returned.getClass() == ordinary) {
            return returned;
        }
        if (returned instanceof AutoCloseable closeable) {
            try (closeable) {
                Iterator<?> items = closeable instanceof BaseStream<?, ?> stream ? stream.iterator() : iterator(closeable);
                if (items != null) {
                    items.forEachRemaining(item -> { });
                }
            }
            return null;
        }
        if (returned instanceof Future<?> future) {
            try {
                return toTheEnd(future.get());
            } catch (ExecutionException e) {
                throw e.getCause();
            }
        }
        Iterator<?> items = iterator(returned);
        if (items != null) {
            items.forEachRemaining(item -> { });
            return null;
        }
        if (returned.getClass().getName().equals(FAILURE)) {
            throw (Throwable) returned.getClass().getField("exception").get(returned);
        }
        ordinary = returned.getClass();
        return returned;
    }

    /** That of an iterator itself, or of a Kotlin sequence; null for anything else. */
    private static Iterator<?> iterator(Object returned) throws ReflectiveOperationException {
        if (returned instanceof Iterator<?> items) {
            return items;
        }
        Class<?> sequence = returned == null ? null : named(SEQUENCE, returned.getClass());
        return sequence == null ? null : (Iterator<?>) sequence.getMethod("iterator").invoke(returned);
    }

    /** The interface of this name that a class implements, or null. */
    private static Class<?> named(String name, Class<?> type) {
        if (type == null || type.getName().equals(name)) {
            return type;
        }
        for (Class<?> each : type.getInterfaces()) {
            Class<?> found = named(name, each);
            if (found != null) {
                return found;
            }
        }
        return named(name, type.getSuperclass());
    }
}
