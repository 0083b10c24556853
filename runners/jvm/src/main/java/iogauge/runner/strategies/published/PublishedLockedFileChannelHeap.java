package iogauge.runner.strategies.published;

/** {@link java.nio.channels.FileChannel#open} and a buffer on the heap, a shared lock being held. */
public final class PublishedLockedFileChannelHeap extends SummedChannel {

    public PublishedLockedFileChannelHeap() {
        super(Opened.LOCKED_FILE, Into.HEAP);
    }
}
