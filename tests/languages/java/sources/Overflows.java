package overflows;

/** Sums that leave the range of their type, and one that is refused on purpose. */
public class Overflows {
    public static int middle(int low, int high) {
        int from = low;
        return (from + high) / 2;
    }

    public static int checksum(int[] numbers) {
        int sum = 0;
        for (int number : numbers) {
            sum = 31 * sum + number;
        }
        return sum;
    }

    public static long product(long one, long other) {
        return one * other;
    }

    public static int exact(int one, int other) {
        return Math.addExact(one, other);
    }
}
