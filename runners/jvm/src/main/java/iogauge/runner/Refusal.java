package iogauge.runner;

/** A request that cannot be carried out; the message is the sentence that the host gets. */
final class Refusal extends Exception {

    private static final long serialVersionUID = 1L;

    Refusal(String reason) {
        super(reason);
    }

    Refusal(String reason, Throwable cause) {
        super(reason, cause);
    }
}
