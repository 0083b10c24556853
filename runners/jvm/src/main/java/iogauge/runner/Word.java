package iogauge.runner;

import java.util.Collection;
import java.util.Locale;

/** A constant that has a word on the wire. */
interface Word {

    /** The name of the constant. */
    String name();

    /** Its word: {@code java-object-stream} for {@code JAVA_OBJECT_STREAM}. */
    default String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The constant that a word stands for.
     *
     * @param what whose word it is, for the reason of the refusal
     * @param allowed the constants to choose from; null is chosen, and must be, where there are none
     */
    static <W extends Word> W choose(String what, String word, Collection<W> allowed) throws Refusal {
        for (W constant : allowed) {
            if (constant.word().equals(word)) {
                return constant;
            }
        }
        if (word == null && allowed.isEmpty()) {
            return null;
        }
        StringBuilder words = new StringBuilder();
        for (W constant : allowed) {
            words.append(words.length() == 0 ? "one of " : ", ").append(constant.word());
        }
        throw new Refusal(what + " is " + (allowed.isEmpty() ? "null" : words) + ", not " + word);
    }
}
