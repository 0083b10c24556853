package iogauge.runner.strategies.published;

/** {@link java.io.FileInputStream#getChannel} and one mapping, a shared lock being held. */
public final class PublishedLockedStreamChannelMapped extends SummedChannel {

    public PublishedLockedStreamChannelMapped() {
        super(Opened.LOCKED_STREAM, Into.MAPPED);
    }
}
