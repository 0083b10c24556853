package iogauge.runner.strategies.computeonly;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Scanner;

/** Decoding UTF-8, and looking for line ends with the regular expression of a {@link Scanner}. */
public final class ScanLine implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/scan-line", "Scanner over memory, nextLine()",
                "Scanner.nextLine, in memory", Unit.LINE, 2)
                .computeOnlyRole()
                .sums(Sums.LINE_UTF16);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            Scanner in = new Scanner(new ByteArrayInputStream(payload), StandardCharsets.UTF_8);
            while (in.hasNextLine()) {
                consumer.acceptLine(in.nextLine());
            }
            if (in.ioException() != null) {
                throw in.ioException();
            }
        };
    }
}
