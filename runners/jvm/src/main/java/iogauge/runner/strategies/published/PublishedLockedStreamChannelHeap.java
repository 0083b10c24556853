package iogauge.runner.strategies.published;

/** {@link java.io.FileInputStream#getChannel} and a buffer on the heap, a shared lock being held. */
public final class PublishedLockedStreamChannelHeap extends SummedChannel {

    public PublishedLockedStreamChannelHeap() {
        super(Opened.LOCKED_STREAM, Into.HEAP);
    }
}
