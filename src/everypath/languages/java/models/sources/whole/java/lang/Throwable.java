package java.lang;

/** Exceptions without stack traces. */
public class Throwable implements java.io.Serializable {
    private String detailMessage;
    private Throwable cause = this;
    private Throwable[] suppressed = new Throwable[0];

    public Throwable() {}

    public Throwable(String message) {
        detailMessage = message;
    }

    public Throwable(String message, Throwable cause) {
        detailMessage = message;
        this.cause = cause;
    }

    public Throwable(Throwable cause) {
        detailMessage = cause == null ? null : cause.toString();
        this.cause = cause;
    }

    protected Throwable(String message, Throwable cause, boolean enableSuppression, boolean writableStackTrace) {
        detailMessage = message;
        this.cause = cause;
    }

    public String getMessage() {
        return detailMessage;
    }

    public String getLocalizedMessage() {
        return getMessage();
    }

    public Throwable getCause() {
        return cause == this ? null : cause;
    }

    public Throwable initCause(Throwable cause) {
        if (this.cause != this) {
            throw new IllegalStateException("Can't overwrite cause");
        }
        if (cause == this) {
            throw new IllegalArgumentException("Self-causation not permitted");
        }
        this.cause = cause;
        return this;
    }

    public String toString() {
        String name = getClass().getName();
        String message = getLocalizedMessage();
        return message != null ? name.concat(": ").concat(message) : name;
    }

    public void printStackTrace() {}

    public void printStackTrace(java.io.PrintStream s) {}

    public void printStackTrace(java.io.PrintWriter s) {}

    public Throwable fillInStackTrace() {
        return this;
    }

    public StackTraceElement[] getStackTrace() {
        return new StackTraceElement[0];
    }

    public void setStackTrace(StackTraceElement[] stackTrace) {}

    public final void addSuppressed(Throwable exception) {
        if (exception == this) {
            throw new IllegalArgumentException("Self-suppression not permitted");
        }
        if (exception == null) {
            throw new NullPointerException("Cannot suppress a null exception.");
        }
        Throwable[] more = new Throwable[suppressed.length + 1];
        for (int i = 0; i < suppressed.length; i++) {
            more[i] = suppressed[i];
        }
        more[suppressed.length] = exception;
        suppressed = more;
    }

    public final Throwable[] getSuppressed() {
        return suppressed.clone();
    }
}
