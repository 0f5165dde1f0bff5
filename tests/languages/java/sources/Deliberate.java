package deliberate;

import java.util.List;
import java.util.Objects;

/** Errors that are on purpose and errors that are not. */
public class Deliberate {
    private int[] items = new int[3];
    private Hidden first;

    public int required(String text) {
        Objects.requireNonNull(text, "text");
        return text.length();
    }

    public int forgotten(String text) {
        return text.length();
    }

    public int asserted(int n) {
        assert n > 0 : "positive";
        return n;
    }

    public int refused(int n) {
        if (n < 0) {
            throw new AssertionError("no");
        }
        return n;
    }

    public int exact(int a, int b) {
        return Math.addExact(a, b);
    }

    public int own() {
        return items[0];
    }

    protected int inside(int[] numbers) {
        return numbers[0];
    }

    public int parsed(String text) {
        return Integer.parseInt(text);
    }

    public Integer element(List<Integer> numbers) {
        return numbers.get(0);
    }

    public int hidden(Object any) {
        return any instanceof Hidden ? ((Hidden) any).next.value : 0;
    }

    private static class Hidden {
        Hidden next;
        int value;

        Hidden(Hidden next) {
            this.next = next;
        }
    }
}
