package iogauge.runner.strategies.published;

/** {@link java.nio.file.Files#newByteChannel} and a buffer on the heap. */
public final class PublishedByteChannelHeap extends SummedChannel {

    public PublishedByteChannelHeap() {
        super(Opened.BYTES, Into.HEAP);
    }
}
