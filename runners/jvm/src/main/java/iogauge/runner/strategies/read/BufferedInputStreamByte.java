package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.InputStream;

/** {@link BufferedInputStream#read()}: bytes out of the stream's own buffer. */
public final class BufferedInputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/buffered-input-stream-byte", "BufferedInputStream, read()",
                "BufferedInputStream.read()", Unit.BYTE, 2)
                .newBuffer()
                .parameters(Parameter.buffer())
                .computeOnly("java/consume-byte");
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
