package generic;

/** A method for anything that can be compared. */
public class Largest {
    public static <T extends Comparable<T>> T larger(T one, T other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
