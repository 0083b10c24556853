package iogauge.runner;

import com.grack.nanojson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;

/** A function of the user's as it stands in their source. Of one that returns what it read there are two, as of a jar's. */
final class OwnFunction implements Strategy {

    private static final int CLASS_VERSION = 6; // where it is in a class file
    private static final int FIRST_VERSION = 44;

    private final String name;
    private final JsonObject told;
    private final OwnCall call; // null where it cannot be called
    private final String unavailable;
    private final boolean asResult;

    private OwnFunction(String name, JsonObject told, OwnCall call, String unavailable, boolean asResult) {
        this.name = name;
        this.told = told;
        this.call = call;
        this.unavailable = unavailable;
        this.asResult = asResult;
    }

    /** Finds what the host tells of; what cannot be called says why. */
    static OwnFunction of(String name, JsonObject told, ClassLoader loader) {
        String why = null;
        OwnCall call = null;
        try {
            call = new OwnCall(told, loader);
        } catch (UnsupportedClassVersionError e) {
            why = "needs Java " + version(told.getString("type"), loader) + " or newer, this is Java "
                    + Runtime.version().feature() + "; --runtime jvm=PATH takes another one";
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Refusal e) {
            why = "cannot be called: " + e.getMessage();
        } catch (Throwable e) {
            e.printStackTrace();
            why = "cannot be called: " + Failed.shortly(e);
        }
        return new OwnFunction(name, told, call, why == null ? null : told.getString("call") + " " + why, false);
    }

    /** The same function, for whatever it returns; null where that is nothing that could be compared with the file. */
    OwnFunction asResult() {
        return sums() == Sums.NOTHING ? null : new OwnFunction(name + Own.ENDING, told, call, unavailable, true);
    }

    private static int version(String type, ClassLoader loader) {
        try (InputStream in = loader.getResourceAsStream(type.replace('.', '/') + ".class")) {
            byte[] start = in.readNBytes(CLASS_VERSION + 2);
            return (start[CLASS_VERSION] << 8 | start[CLASS_VERSION + 1] & 0xff) - FIRST_VERSION;
        } catch (IOException | RuntimeException e) {
            return Runtime.version().feature() + 1;
        }
    }

    private Sums sums() {
        return asResult || call == null ? Sums.NOTHING : Returned.sums(call.method());
    }

    @Override
    public Declaration declaration() {
        return Own.declared(name, told.getString("name"), told.getString("call"), sums(), asResult);
    }

    @Override
    public String unavailable() {
        return unavailable;
    }

    @Override
    @SuppressWarnings("try") // what was opened is only to be closed
    public Operation open(Opening opening) throws Exception {
        MethodHandle maker = found(call::maker);
        MethodHandle handle = found(call::handle);
        OwnFiles.Way way = call.way();
        Class<?> type = call.method().getDeclaringClass();
        String called = told.getString("name");
        boolean declared = sums() != Sums.NOTHING;
        Own.opened(called);
        Thread.currentThread().setContextClassLoader(type.getClassLoader());
        return (path, consumer) -> {
            try {
                Object file = way.of(path);
                try (AutoCloseable open = closed(file)) {
                    Object object = maker == null ? null : (Object) maker.invokeExact(file);
                    try (AutoCloseable made = closed(object)) {
                        Object read = (Object) handle.invokeExact(object, file);
                        if (declared) {
                            Returned.take(read, consumer, called);
                        } else {
                            consumer.kept(Returned.toTheEnd(read));
                        }
                    }
                }
            } catch (OutOfMemoryError e) {
                throw e;
            } catch (Throwable e) {
                throw new Failed(e, type);
            }
        };
    }

    /** What is to be closed in the end; null where it cannot be. */
    private static AutoCloseable closed(Object used) {
        return used instanceof AutoCloseable closeable ? closeable : null;
    }

    private interface Finding {
        MethodHandle find() throws Throwable;
    }

    private MethodHandle found(Finding finding) throws Exception {
        try {
            return finding.find();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            throw new Failed(e, call.method().getDeclaringClass());
        }
    }
}
