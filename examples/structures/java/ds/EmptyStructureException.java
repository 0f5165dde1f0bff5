package ds;

/** An element was asked of a structure without elements. */
public class EmptyStructureException extends RuntimeException {
    public EmptyStructureException(String message) {
        super(message);
    }
}
