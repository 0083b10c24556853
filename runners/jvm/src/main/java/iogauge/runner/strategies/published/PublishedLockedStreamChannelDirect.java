package iogauge.runner.strategies.published;

/** {@link java.io.FileInputStream#getChannel} and a direct buffer, a shared lock being held. */
public final class PublishedLockedStreamChannelDirect extends SummedChannel {

    public PublishedLockedStreamChannelDirect() {
        super(Opened.LOCKED_STREAM, Into.DIRECT);
    }
}
