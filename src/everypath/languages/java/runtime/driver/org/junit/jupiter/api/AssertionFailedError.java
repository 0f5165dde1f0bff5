package org.junit.jupiter.api;

/** What our assertions throw, so that an AssertionError of the program is another thing. */
public final class AssertionFailedError extends AssertionError {
    private static final long serialVersionUID = 1;

    AssertionFailedError(String message) {
        super(message);
    }
}
