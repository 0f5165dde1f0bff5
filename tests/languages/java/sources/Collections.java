package collected;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.Stack;
import java.util.TreeMap;

/** Collections of the library as inputs. */
public class Collections {
    public static int sum(List<Integer> numbers) {
        int total = 0;
        for (int number : numbers) {
            total += number;
        }
        return total;
    }

    public static Integer look(Map<String, Integer> prices, String name) {
        return prices.containsKey(name) ? prices.get(name) : -1;
    }

    public static int top(Deque<Integer> waiting) {
        return waiting.isEmpty() ? 0 : waiting.peek();
    }

    public static void turn(LinkedList<Integer> ring) {
        if (ring.size() > 1) {
            ring.addFirst(ring.removeLast());
        }
    }

    public static boolean floor(TreeMap<Integer, String> names, int key) {
        return names.floorKey(key) != null;
    }

    public static boolean unique(String text) {
        Set<Character> seen = new HashSet<>();
        for (char c : text.toCharArray()) {
            if (!seen.add(c)) {
                return false;
            }
        }
        return true;
    }

    public static Map<Character, Integer> count(String text) {
        Map<Character, Integer> found = new HashMap<>();
        for (int i = 0; i < text.length(); i++) {
            found.merge(text.charAt(i), 1, Integer::sum);
        }
        return found;
    }

    public static int least(PriorityQueue<Integer> queue, Stack<Integer> stack) {
        return stack.isEmpty() ? queue.size() : stack.pop();
    }

    public static Deque<Integer> copy(ArrayDeque<Integer> from) {
        return from.size() == 1 ? new ArrayDeque<>(from) : null;
    }
}
