package ds;

/** A map whose buckets are chains of entries. */
public class ChainedHashMap {
    static class Node {
        final int key;
        String value;
        Node next;

        Node(int key, String value, Node next) {
            this.key = key;
            this.value = value;
            this.next = next;
        }
    }

    Node[] buckets;
    int size;

    public ChainedHashMap(int capacity) {
        buckets = new Node[capacity];
    }

    private int bucket(int key) {
        return (key & 0x7fffffff) % buckets.length;
    }

    public String get(int key) {
        for (Node node = buckets[bucket(key)]; node != null; node = node.next) {
            if (node.key == key) {
                return node.value;
            }
        }
        return null;
    }

    public String put(int key, String value) {
        int at = bucket(key);
        for (Node node = buckets[at]; node != null; node = node.next) {
            if (node.key == key) {
                String old = node.value;
                node.value = value;
                return old;
            }
        }
        buckets[at] = new Node(key, value, buckets[at]);
        size++;
        return null;
    }

    public boolean remove(int key) {
        int at = bucket(key);
        Node before = null;
        for (Node node = buckets[at]; node != null; node = node.next) {
            if (node.key == key) {
                if (before == null) {
                    buckets[at] = node.next;
                } else {
                    before.next = node.next;
                }
                size--;
                return true;
            }
            before = node;
        }
        return false;
    }
}
