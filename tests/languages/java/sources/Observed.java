package observed;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** What only runs can show: formats, patterns, big numbers, clocks, loops with more rounds than the bound. */
public class Observed {
    private final List<String> names = new ArrayList<>();

    public void add(String name) {
        if (name.matches("[a-z]+")) {
            names.add(name);
        }
    }

    public String shown(int number) {
        if (names.isEmpty()) {
            return String.format("%03d", number);
        }
        return names.size() > 1 ? "several" : names.get(0);
    }

    public static int bits(BigInteger number) {
        if (number.signum() < 0) {
            return -1;
        }
        return number.testBit(0) ? 1 : 0;
    }

    public static boolean late(long limit) {
        return System.nanoTime() > limit;
    }

    public static int unstable() {
        return (int) System.nanoTime();
    }

    public static int steps(int[] numbers) {
        int found = 0;
        for (int number : numbers) {
            if (number > 0) {
                found++;
            }
        }
        if (found == 3) {
            return -1;
        }
        return found;
    }

    public static void forever(String text) {
        while (text.matches("a*")) {
            text = text + "a";
        }
    }

    public static int merged(List<Item> items) {
        int sum = 0;
        for (Item item : items) {
            if (String.format("%d", item.weight).length() > 1) {
                sum += item.weight;
            }
        }
        return sum;
    }

    /** Something that is made with a constructor. */
    public static class Item {
        private final int weight;

        public Item(int weight) {
            this.weight = weight;
        }
    }
}
