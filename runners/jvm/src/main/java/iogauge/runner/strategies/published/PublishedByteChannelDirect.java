package iogauge.runner.strategies.published;

/** {@link java.nio.file.Files#newByteChannel} and a direct buffer. */
public final class PublishedByteChannelDirect extends SummedChannel {

    public PublishedByteChannelDirect() {
        super(Opened.BYTES, Into.DIRECT);
    }
}
