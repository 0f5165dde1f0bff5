package generic;

/** Asks what type variables stand for. */
public class Kinds<T> {
    protected static class Cell<E> {
        E item;
        Cell<E> next;

        public Cell(E item) {
            this.item = item;
        }
    }

    private final T held;
    private Cell<T> first;

    public Kinds(T held) {
        this.held = held;
    }

    public String kind(T other) {
        if (other instanceof String) {
            return "text";
        }
        return held.equals(other) ? "equal" : "other";
    }

    public int inside() {
        if (first == null) {
            return 0;
        }
        Object item = first.item;
        if (item instanceof CharSequence) {
            return 1;
        }
        return 2;
    }

    public static <C extends Comparable<C>> C larger(C a, C b) {
        if (a.getClass() == String.class) {
            return b;
        }
        return a.compareTo(b) > 0 ? a : b;
    }

    /** Only this class and those that extend it make cells. */
    public E2<T> after(Cell<T> cell) throws IllegalStateException {
        return new E2<>(cell.next.item);
    }

    /** Something to give back. */
    public static class E2<E> {
        public final E item;

        E2(E item) {
            this.item = item;
        }
    }
}
