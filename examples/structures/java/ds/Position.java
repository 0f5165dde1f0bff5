package ds;

/** A place in a structure that holds an element. */
public interface Position<E> {
    /** The element at this place. */
    E element();
}
