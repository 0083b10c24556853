package iogauge.runner.strategies.liferay;

import com.liferay.portal.kernel.io.unsync.UnsyncBufferedInputStream;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.io.InputStream;

/** {@link UnsyncBufferedInputStream#read()}, twin of {@link java.io.BufferedInputStream}. */
public final class UnsyncBufferedInputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/liferay-buffered-input-stream-byte",
                "Liferay UnsyncBufferedInputStream, read()",
                "UnsyncBufferedInputStream.read()", Unit.BYTE, 2)
                .newBuffer()
                .parameters(Parameter.buffer())
                .computeOnly("java/consume-byte");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        return (path, consumer) -> {
            try (InputStream in = new UnsyncBufferedInputStream(new FileInputStream(path), buffer)) {
                consumer.acceptEach(in::read);
            }
        };
    }
}
