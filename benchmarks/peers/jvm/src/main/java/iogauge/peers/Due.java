package iogauge.peers;

import iogauge.runner.OpenedStrategy.Tally;

/**
 * What each operation has to consume.
 *
 * @param count bytes, characters or lines
 * @param sum of these, or null where none is known
 * @param ofLast whether the sum found is that of the last operation only
 */
record Due(long count, Long sum, boolean ofLast) {

    /** Refuses what is not the work of so many operations. */
    void check(Tally found, long operations) {
        long allCounted = operations * count;
        boolean summed = sum == null || found.sum() == (ofLast ? sum : operations * sum);
        if (found.count() != allCounted || !summed) {
            throw new IllegalStateException(operations + " operations gave " + found + ", each is to give " + this);
        }
    }

    /** The same where nobody counted the operations: then the count tells how many there were. */
    void check(Tally found) {
        check(found, count == 0 ? 0 : found.count() / count);
    }
}
