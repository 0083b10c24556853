package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Scanner;

/**
 * {@link Scanner#nextLine}, which looks for line ends with a regular expression. To a scanner U+0085, U+2028 and U+2029
 * end a line too. A failed read ends the lines as the end of the file does: only {@link Scanner#ioException} tells.
 */
public final class ScannerLine implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/scanner-line", "Scanner, nextLine()",
                "Scanner.nextLine", Unit.LINE, 2)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr", "next-line", "line-separator")
                .computeOnly("java/scan-line");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (Scanner in = new Scanner(new File(path), StandardCharsets.UTF_8)) {
                while (in.hasNextLine()) {
                    consumer.acceptLine(in.nextLine());
                }
                if (in.ioException() != null) {
                    throw in.ioException();
                }
            }
        };
    }
}
