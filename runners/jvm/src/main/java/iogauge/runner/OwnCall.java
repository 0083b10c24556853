package iogauge.runner;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A method that was found in the user's source, and how it is called with nothing but a file. The host says what each
 * parameter gets ({@code own/functions.json}): {@code file:FORM}, {@code omitted:TYPE} for the default value of Kotlin's, or a
 * value that is known here. Private methods are called, too.
 */
final class OwnCall {

    private static final String DEFAULT = "$default"; // what Kotlin calls where parameters are left out
    private static final String FILE = "file:";
    private static final String OMITTED = "omitted";
    private static final int SIZE = 8192;
    private static final int LIKE = 2; // how well a type fits that is as it should be
    private static final int MOST = 32; // parameters that one mask tells of

    /** Keeps what it gets: who hands over lines one by one is not to be optimised away. */
    private static final class Keeper implements Consumer<Object> {
        @SuppressWarnings("unused")
        private Object last;

        @Override
        public void accept(Object item) {
            last = item;
        }
    }

    private final JsonObject told;
    private final Class<?> type;
    private final List<String> takes;
    private final Method method;

    /** Finds the method. Nothing of the user's runs. */
    OwnCall(JsonObject told, ClassLoader loader) throws ClassNotFoundException, Refusal {
        this.told = told;
        type = Class.forName(told.getString("type"), false, loader);
        takes = strings(told.getArray("takes"));
        method = method(type, told.getString("method"), takes, told.has("constructor") || told.has("field"));
    }

    Method method() {
        return method;
    }

    /** What makes its object, of the file or of nothing: {@code (Object) -> Object}. Null where it needs none. */
    MethodHandle maker() throws Throwable {
        if (!told.has("constructor")) {
            return null;
        }
        MethodHandle construct = constructor(type, strings(told.getArray("constructor")));
        boolean ofFile = construct.type().parameterCount() == 1;
        return general(ofFile ? construct : MethodHandles.dropArguments(construct, 0, Object.class));
    }

    /** What calls it with its object, and with the file in the form that it takes: {@code (Object, Object) -> Object}. */
    MethodHandle handle() throws Throwable {
        MethodHandle call = handle(method, takes, told.getBoolean("extension"));
        boolean ofFile = takes.stream().anyMatch(each -> each.startsWith(FILE));
        if (!told.has("constructor")) {
            if (call.type().parameterCount() == 2) {
                Class<?> holder = Class.forName(told.getString("holder"), true, type.getClassLoader());
                Field field = holder.getDeclaredField(told.getString("field"));
                field.setAccessible(true);
                call = call.bindTo(field.get(null));
            }
            call = MethodHandles.dropArguments(call, 0, Object.class);
        } else if (!ofFile) {
            call = MethodHandles.dropArguments(call, 1, Object.class);
        }
        return general(call);
    }

    private static MethodHandle general(MethodHandle call) {
        return call.asType(MethodType.genericMethodType(call.type().parameterCount()));
    }

    /** How the file comes into that form. */
    OwnFiles.Way way() throws Refusal {
        List<String> every = new ArrayList<>(takes);
        every.addAll(told.has("constructor") ? strings(told.getArray("constructor")) : List.of());
        String file = every.stream().filter(each -> each.startsWith(FILE)).findFirst().orElse(FILE);
        return OwnFiles.way(file.substring(FILE.length()));
    }

    /** The texts of an array. */
    static List<String> strings(JsonArray array) {
        return array.stream().map(String.class::cast).collect(Collectors.toList());
    }

    /** The method of this name whose parameters are the likeliest. Kotlin adds to some names, behind a dash or a dollar sign. */
    private static Method method(Class<?> type, String name, List<String> takes, boolean ofObject) throws Refusal {
        Method found = null;
        int most = -1;
        for (Method each : type.getDeclaredMethods()) {
            boolean named = each.getName().equals(name);
            boolean nearly = each.getName().startsWith(name + "-") || each.getName().startsWith(name + "$");
            boolean able = !each.isSynthetic() && (ofObject || Modifier.isStatic(each.getModifiers()));
            int fit = able && (named || nearly) ? fit(each, takes, takes.size()) : -1;
            fit += named && fit >= 0 ? takes.size() * LIKE + 1 : 0; // the name says more than all types
            if (fit > most) {
                most = fit;
                found = each;
            }
        }
        if (found == null) {
            throw new Refusal("its class " + type.getName() + " has no such method; build it anew");
        }
        return found;
    }

    /** How well the first parameters, of so many, can be given that; less than 0 where they cannot. */
    private static int fit(Executable each, List<String> takes, int count) {
        Class<?>[] types = each.getParameterTypes();
        if (types.length != count) {
            return -1;
        }
        int fit = 1;
        for (int i = 0; i < takes.size(); i++) {
            int one = fit(types[i], takes.get(i));
            if (one < 0) {
                return -1;
            }
            fit += one;
        }
        return fit;
    }

    /** How well a type may be given that: a file as the type of this name, or as what a type parameter became. */
    private static int fit(Class<?> type, String form) {
        if (form.startsWith(FILE)) {
            return type.getSimpleName().equals(form.substring(FILE.length())) ? LIKE : type == Object.class ? 0 : -1;
        }
        if (isOmitted(form)) { // of a type that is called so, or nearly: Int is int, or Integer
            String named = form.substring(form.indexOf(':') + 1).toLowerCase(Locale.ROOT);
            return !named.isEmpty() && type.getSimpleName().toLowerCase(Locale.ROOT).startsWith(named) ? LIKE : 0;
        }
        boolean fits = switch (form) {
            case "charset" -> type == Charset.class;
            case "encoding" -> type.isAssignableFrom(String.class);
            case "size" -> type.isPrimitive() || Number.class.isAssignableFrom(type);
            case "empty" -> type.isArray();
            case "consumer" -> type == Consumer.class;
            case "lambda" -> type.getName().startsWith("kotlin.jvm.functions.");
            default -> false;
        };
        return fits ? LIKE : -1;
    }

    private static boolean isOmitted(String form) {
        return form.startsWith(OMITTED);
    }

    private static boolean omits(List<String> takes) {
        return takes.stream().anyMatch(OwnCall::isOmitted);
    }

    private static MethodHandle constructor(Class<?> type, List<String> takes) throws Throwable {
        boolean omits = omits(takes); // Kotlin has one more then, with a mask and a mark behind
        int count = takes.size() + (omits ? 2 : 0);
        Constructor<?> found = null;
        int most = -1;
        for (Constructor<?> each : type.getDeclaredConstructors()) {
            int fit = each.isSynthetic() == omits ? fit(each, takes, count) : -1;
            if (fit > most) {
                most = fit;
                found = each;
            }
        }
        if (found == null) {
            throw new Refusal("its class " + type.getName() + " has no such constructor; build it anew");
        }
        found.setAccessible(true);
        MethodHandle made = MethodHandles.lookup().unreflectConstructor(found);
        if (omits) {
            made = MethodHandles.insertArguments(made, takes.size(), mask(takes, 0), null);
        }
        return bound(made, found.getParameterTypes(), takes, 0);
    }

    /** With all but the file, and the object before, filled in. */
    private static MethodHandle handle(Method method, List<String> takes, boolean extension) throws Throwable {
        method.setAccessible(true);
        int before = Modifier.isStatic(method.getModifiers()) ? 0 : 1;
        if (!omits(takes)) {
            return bound(MethodHandles.lookup().unreflect(method), method.getParameterTypes(), takes, before);
        }
        for (Method each : method.getDeclaringClass().getDeclaredMethods()) {
            int more = each.getParameterCount() - takes.size() - 2;
            if (each.getName().equals(method.getName() + DEFAULT) && (more == 0 || more == 1) && agrees(each, method, more)) {
                each.setAccessible(true);
                MethodHandle call = MethodHandles.lookup().unreflect(each);
                call = MethodHandles.insertArguments(call, more + takes.size(), mask(takes, extension ? 1 : 0), null);
                return bound(call, method.getParameterTypes(), takes, more);
            }
        }
        throw new Refusal("its class " + method.getDeclaringClass().getName() + " has no default values for it");
    }

    private static boolean agrees(Method withDefaults, Method method, int more) {
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (withDefaults.getParameterTypes()[more + i] != types[i]) {
                return false;
            }
        }
        return true;
    }

    /** A bit for each parameter that is left out; what a function extends is none. */
    private static int mask(List<String> takes, int first) throws Refusal {
        int mask = 0;
        for (int i = first; i < takes.size(); i++) {
            if (i - first >= MOST) {
                throw new Refusal("it has more than " + MOST + " parameters");
            }
            mask |= isOmitted(takes.get(i)) ? 1 << i - first : 0;
        }
        return mask;
    }

    private static MethodHandle bound(MethodHandle call, Class<?>[] types, List<String> takes, int before) throws Throwable {
        MethodHandle made = call;
        for (int i = takes.size() - 1; i >= 0; i--) {
            if (!takes.get(i).startsWith(FILE)) {
                made = MethodHandles.insertArguments(made, before + i, value(takes.get(i), types[i]));
            }
        }
        return made;
    }

    private static Object value(String form, Class<?> type) throws Throwable {
        if (isOmitted(form)) {
            return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null;
        }
        return switch (form) {
            case "charset" -> StandardCharsets.UTF_8;
            case "encoding" -> StandardCharsets.UTF_8.name();
            case "size" -> type == long.class || type == Long.class ? (Object) (long) SIZE : (Object) SIZE;
            case "empty" -> Array.newInstance(type.getComponentType(), 0);
            case "consumer" -> new Keeper();
            case "lambda" -> lambda(type);
            default -> throw new Refusal("no value for a parameter '" + form + "'");
        };
    }

    /** A function of Kotlin's that keeps what it gets, and returns nothing. */
    private static Object lambda(Class<?> type) throws ReflectiveOperationException {
        Object unit = Class.forName("kotlin.Unit", true, type.getClassLoader()).getField("INSTANCE").get(null);
        Object[] last = new Object[1];
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, called, given) -> {
            last[0] = given;
            return unit;
        });
    }
}
