package ds;

/** A position that does not belong to the structure, or no longer. */
public class InvalidPositionException extends RuntimeException {
    public InvalidPositionException(String message) {
        super(message);
    }
}
