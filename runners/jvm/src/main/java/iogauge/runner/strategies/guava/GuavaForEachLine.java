package iogauge.runner.strategies.guava;

import com.google.common.io.CharSource;
import com.google.common.io.Files;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.File;
import java.nio.charset.StandardCharsets;

/** {@link com.google.common.io.CharSource#forEachLine}. */
public final class GuavaForEachLine implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/guava-for-each-line", "Guava Files.asCharSource, forEachLine",
                "Guava CharSource.forEachLine", Unit.LINE, 1)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) ->
                Files.asCharSource(new File(path), StandardCharsets.UTF_8).forEachLine(consumer::acceptLine);
    }
}
