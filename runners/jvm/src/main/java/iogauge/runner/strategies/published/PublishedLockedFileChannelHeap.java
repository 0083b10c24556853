package iogauge.runner.strategies.published;

/** {@link java.nio.channels.FileChannel#open} and a buffer on the heap, a shared lock being held. */
public final class PublishedLockedFileChannelHeap extends LockedChannel {

    public PublishedLockedFileChannelHeap() {
        super(Opened.DIRECTLY, Into.HEAP);
    }
}
