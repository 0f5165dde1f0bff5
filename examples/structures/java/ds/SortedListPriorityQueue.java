package ds;

import java.util.Comparator;

/** A priority queue whose entries lie in a list, the least key first. */
public class SortedListPriorityQueue<K, V> {
    static class Node<K, V> implements Entry<K, V> {
        K key;
        V value;
        Node<K, V> next;

        Node(K key, V value, Node<K, V> next) {
            this.key = key;
            this.value = value;
            this.next = next;
        }

        @Override
        public K key() {
            return key;
        }

        @Override
        public V value() {
            return value;
        }
    }

    private Node<K, V> first;
    private Comparator<K> order;

    public SortedListPriorityQueue(Comparator<K> order) {
        this.order = order;
    }

    @SuppressWarnings("unchecked")
    private int compare(K one, K other) {
        return order != null ? order.compare(one, other) : ((Comparable<K>) one).compareTo(other);
    }

    public Entry<K, V> insert(K key, V value) {
        if (key == null) {
            throw new IllegalArgumentException("a key is needed");
        }
        Node<K, V> before = null;
        Node<K, V> after = first;
        while (after != null && compare(after.key, key) <= 0) {
            before = after;
            after = after.next;
        }
        Node<K, V> made = new Node<>(key, value, after);
        if (before == null) {
            first = made;
        } else {
            before.next = made;
        }
        return made;
    }

    public Entry<K, V> removeLeast() {
        if (first == null) {
            throw new EmptyStructureException("the queue is empty");
        }
        Node<K, V> least = first;
        first = least.next;
        return least;
    }
}
