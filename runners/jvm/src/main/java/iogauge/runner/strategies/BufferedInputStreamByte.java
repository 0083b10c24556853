package iogauge.runner.strategies;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import org.kohsuke.MetaInfServices;

/** {@link BufferedInputStream#read()}: bytes out of the stream's own buffer. */
@MetaInfServices(Strategy.class)
public final class BufferedInputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/buffered-input-stream-byte", "BufferedInputStream, read()",
                Unit.BYTE, 2)
                .parameters(Parameter.buffer());
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        return (path, consumer) -> {
            try (InputStream in = new BufferedInputStream(new FileInputStream(path), buffer)) {
                consumer.acceptEach(in::read);
            }
        };
    }
}
