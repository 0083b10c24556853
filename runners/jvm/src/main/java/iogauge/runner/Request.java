package iogauge.runner;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;

/** A JSON object of the host's, read strictly: what is missing or of another type is refused by name. */
final class Request {

    private final JsonObject object;

    private Request(JsonObject object) {
        this.object = object;
    }

    static Request parse(String line) throws Refusal {
        try {
            return new Request(JsonParser.object().from(line));
        } catch (JsonParserException e) {
            throw new Refusal("this line is not a JSON object: " + e.getMessage(), e);
        }
    }

    String string(String key) throws Refusal {
        return (String) value(key, String.class, "a string");
    }

    /** The string, or null: where it is null or missing. */
    String stringOrNull(String key) throws Refusal {
        return object.get(key) == null ? null : string(key);
    }

    int integer(String key) throws Refusal {
        return (Integer) value(key, Integer.class, "an integer of at most 31 bits");
    }

    /** An integer from 0 to the most, or 0: where it is null or missing. */
    int integerOrZero(String key, int most) throws Refusal {
        int value = object.get(key) == null ? 0 : integer(key);
        if (value < 0 || value > most) {
            throw new Refusal("'" + key + "' must be 0 to " + most + ", not " + value);
        }
        return value;
    }

    Request object(String key) throws Refusal {
        return new Request((JsonObject) value(key, JsonObject.class, "an object"));
    }

    String[] strings(String key) throws Refusal {
        JsonArray array = (JsonArray) value(key, JsonArray.class, "an array");
        String[] strings = new String[array.size()];
        for (int i = 0; i < strings.length; i++) {
            if (!(array.get(i) instanceof String string)) {
                throw new Refusal("'" + key + "' must hold strings, not " + array.get(i));
            }
            strings[i] = string;
        }
        return strings;
    }

    Iterable<String> keys() {
        return object.keySet();
    }

    private Object value(String key, Class<?> type, String described) throws Refusal {
        Object value = object.get(key);
        if (!type.isInstance(value)) {
            throw new Refusal("'" + key + "' must be " + described + ", "
                    + (object.containsKey(key) ? "not " + value : "but is missing"));
        }
        return value;
    }
}
