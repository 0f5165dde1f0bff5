package java.util;

import everypath.Engine;

/** Copies of arrays have the type of the original. */
public class Arrays {
    @SuppressWarnings("unchecked")
    public static <T> T[] copyOf(T[] original, int length) {
        T[] made = (T[]) Engine.like(original, length);
        System.arraycopy(original, 0, made, 0, Math.min(original.length, length));
        return made;
    }

    @SuppressWarnings("unchecked")
    public static <T> T[] copyOfRange(T[] original, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException(String.valueOf(from).concat(" > ").concat(String.valueOf(to)));
        }
        T[] made = (T[]) Engine.like(original, length);
        System.arraycopy(original, from, made, 0, Math.min(original.length - from, length));
        return made;
    }

    public static void sort(Object[] items) {
        inserted(items, 0, items.length, null);
    }

    public static void sort(Object[] items, int from, int to) {
        check(items.length, from, to);
        inserted(items, from, to, null);
    }

    public static <T> void sort(T[] items, Comparator<? super T> order) {
        inserted(items, 0, items.length, order);
    }

    public static <T> void sort(T[] items, int from, int to, Comparator<? super T> order) {
        check(items.length, from, to);
        inserted(items, from, to, order);
    }

    private static void check(int length, int from, int to) {
        if (from > to) {
            throw new IllegalArgumentException("fromIndex(" + from + ") > toIndex(" + to + ")");
        }
        if (from < 0) {
            throw new ArrayIndexOutOfBoundsException(from);
        }
        if (to > length) {
            throw new ArrayIndexOutOfBoundsException(to);
        }
    }

    /**
     * As the JDK sorts short arrays, comparison by comparison, because a comparison may throw: the run at the beginning
     * is taken as it is, or turned round; the others are inserted where halving finds their place. All stable orders
     * of longer arrays are the same order.
     */
    private static void inserted(Object[] items, int from, int to, Comparator<?> order) {
        if (to - from < 2) {
            return;
        }
        int run = from + 1;
        if (compared(items[run++], items[from], order) < 0) {
            while (run < to && compared(items[run], items[run - 1], order) < 0) {
                run++;
            }
            for (int low = from, high = run - 1; low < high; low++, high--) {
                Object kept = items[low];
                items[low] = items[high];
                items[high] = kept;
            }
        } else {
            while (run < to && compared(items[run], items[run - 1], order) >= 0) {
                run++;
            }
        }
        for (int next = run; next < to; next++) {
            Object item = items[next];
            int left = from;
            int right = next;
            while (left < right) {
                int middle = (left + right) >>> 1;
                if (compared(item, items[middle], order) < 0) {
                    right = middle;
                } else {
                    left = middle + 1;
                }
            }
            for (int at = next; at > left; at--) {
                items[at] = items[at - 1];
            }
            items[left] = item;
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static int compared(Object one, Object other, Comparator order) {
        return order == null ? ((Comparable) one).compareTo(other) : order.compare(one, other);
    }
}
