package generic;

/** Counts down, which overflows only in theory. */
public class Counter {
    private int left;
    private int steps;

    public boolean down(boolean twice) {
        left--;
        if (twice) {
            left--;
            steps++;
        }
        return left > steps;
    }
}
