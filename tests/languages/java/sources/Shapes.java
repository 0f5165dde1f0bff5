package demo;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Something of everything that a class file can hold. */
public abstract class Shapes<T extends Comparable<T>> implements Comparator<T> {
    static final int COUNT = 7;
    static final long LARGE = 1L << 40;
    static final float HALF = 0.5f;
    static final double THIRD = 1.0 / 3;
    static final String TEXT = "h\u00e4\0\ud83d\ude00";

    protected List<? super T> items = new ArrayList<>();
    private transient Map<String, int[][]> table;

    @Retention(RetentionPolicy.RUNTIME)
    @interface Note {
        String[] value() default {};

        int number() default 0;
    }

    enum Colour { RED, GREEN { @Override int code() { return 2; } }; int code() { return 1; } }

    record Point(int x, List<String> names) {}

    sealed interface Sum permits Left, Right {}

    record Left(int value) implements Sum {}

    record Right(Sum inner) implements Sum {}

    abstract int area(@Note({"a", "b"}) int width, long height) throws java.io.IOException, InterruptedException;

    native void outside();

    @Note(value = "swap", number = 3)
    static <E, X extends Exception & Runnable> E pick(List<E> from, X error, int... at) throws X {
        if (at.length == 0) {
            throw error;
        }
        return from.get(at[0]);
    }

    int switches(int a, String text) {
        switch (a) {
            case 1: return 10;
            case 2: return 20;
            case 4: return 40;
            default:
        }
        switch (a) {
            case -1000: return 1;
            case 100000: return 2;
            default:
        }
        return switch (text) { case "one" -> 1; case "two" -> 2; default -> a; };
    }

    double mixed(long a, double b, int[][] grid) {
        double sum = 0;
        for (int i = 0; i < 300; i++) {
            sum += grid[i % 2][i] * b + (a >>> i);
        }
        Supplier<String> text = () -> "a" + a + b + TEXT;
        Object wide = new int[3][4][];
        try {
            synchronized (this) {
                sum += text.get().length();
            }
        } catch (IllegalStateException | IllegalArgumentException e) {
            sum = -1;
        } finally {
            items.clear();
        }
        int v0 = 0, v1 = 1, v2 = 2, v3 = 3, v4 = 4, v5 = 1000, v6 = 100000;
        v6 += 1000;
        return wide == null ? sum : sum + v0 + v1 + v2 + v3 + v4 + v5 + v6;
    }
}
