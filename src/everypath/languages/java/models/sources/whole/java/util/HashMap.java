package java.util;

import everypath.Engine;
import java.io.Serializable;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A map whose entries are looked up by equality alone.
 *
 * <p>Which bucket a key is in shows only in the order of iteration, which is worked out when somebody iterates: looking
 * a key up asks no more than which of the others it equals.
 */
public class HashMap<K, V> extends AbstractMap<K, V> implements Map<K, V>, Cloneable, Serializable {
    private static final int FIRST = 16;
    private static final int PLAIN = 1 << 16;
    Entry<K, V>[] entries;
    int count;
    int capacity;
    float fill;
    int changes;

    public HashMap() {
        this(0, 0.75f);
        capacity = 0;
    }

    public HashMap(int capacity) {
        this(capacity, 0.75f);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public HashMap(int capacity, float fill) {
        if (capacity < 0) {
            throw new IllegalArgumentException("Illegal initial capacity: " + capacity);
        }
        if (fill <= 0 || fill != fill) {
            throw new IllegalArgumentException("Illegal load factor: " + fill);
        }
        this.entries = new Entry[4];
        this.capacity = capacity == 0 ? 1 : power(capacity);
        this.fill = fill;
    }

    public HashMap(Map<? extends K, ? extends V> other) {
        this();
        putAll(other);
    }

    private static int power(int capacity) {
        int found = 1;
        while (found < capacity && found < 1 << 30) {
            found = found << 1;
        }
        return found;
    }

    /** An entry, which knows whether it is in its map still. */
    static class Entry<K, V> implements Map.Entry<K, V> {
        final K key;
        V value;

        Entry(K key, V value) {
            this.key = key;
            this.value = value;
        }

        public K getKey() {
            return key;
        }

        public V getValue() {
            return value;
        }

        public V setValue(V value) {
            V before = this.value;
            this.value = value;
            return before;
        }

        public boolean equals(Object other) {
            return other instanceof Map.Entry
                    && Objects.equals(key, ((Map.Entry<?, ?>) other).getKey())
                    && Objects.equals(value, ((Map.Entry<?, ?>) other).getValue());
        }

        public int hashCode() {
            return Objects.hashCode(key) ^ Objects.hashCode(value);
        }

        public String toString() {
            return key + "=" + value;
        }
    }

    /** The place of a key, or -1. */
    int find(Object key) {
        if (key != null && Engine.hashes(key)) {
            // The program's own code, which may throw, runs as it does on the JVM.
            key.hashCode();
        }
        for (int i = 0; i < count; i++) {
            Object known = entries[i].key;
            if (known == key || key != null && key.equals(known)) {
                return i;
            }
        }
        return -1;
    }

    /** An entry was looked at. */
    void used(int place) {}

    /** An entry was added. */
    void added() {}

    public int size() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    public V get(Object key) {
        int place = find(key);
        if (place < 0) {
            return null;
        }
        V found = entries[place].value;
        used(place);
        return found;
    }

    public V getOrDefault(Object key, V otherwise) {
        int place = find(key);
        if (place < 0) {
            return otherwise;
        }
        V found = entries[place].value;
        used(place);
        return found;
    }

    public boolean containsKey(Object key) {
        return find(key) >= 0;
    }

    public V put(K key, V value) {
        int place = find(key);
        if (place >= 0) {
            V before = entries[place].value;
            entries[place].value = value;
            used(place);
            return before;
        }
        append(key, value);
        grow();
        added();
        return null;
    }

    private void append(K key, V value) {
        if (count == entries.length) {
            entries = Arrays.copyOf(entries, 2 * count);
        }
        entries[count++] = new Entry<>(key, value);
        changes++;
        if (capacity == 0) {
            capacity = FIRST;
        }
    }

    private void grow() {
        if (count > capacity * fill) {
            capacity = 2 * capacity;
        }
    }

    /** Adds an entry that comes first in its bucket, as `merge` and its like do, which make room for the next one only. */
    private void prepend(K key, V value) {
        grow();
        append(key, value);
        prepended();
        added();
    }

    /** The newest entry comes before those of the same bucket. */
    void prepended() {
        Entry<K, V> newest = entries[count - 1];
        for (int i = count - 1; i > 0; i--) {
            entries[i] = entries[i - 1];
        }
        entries[0] = newest;
    }

    public V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        if (value == null || function == null) {
            throw new NullPointerException();
        }
        int place = find(key);
        if (place < 0) {
            prepend(key, value);
            return value;
        }
        V before = entries[place].value;
        return replaced(key, place, before == null ? value : checked(changes, function.apply(before, value)));
    }

    public V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        int place = find(key);
        V value = checked(changes, function.apply(key, place < 0 ? null : entries[place].value));
        if (place >= 0) {
            return replaced(key, place, value);
        }
        if (value != null) {
            prepend(key, value);
        }
        return value;
    }

    public V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
        int place = find(key);
        if (place >= 0 && entries[place].value != null) {
            V found = entries[place].value;
            used(place);
            return found;
        }
        V value = checked(changes, function.apply(key));
        if (value == null) {
            return null;
        }
        if (place >= 0) {
            return replaced(key, place, value);
        }
        prepend(key, value);
        return value;
    }

    private V checked(int before, V value) {
        if (changes != before) {
            throw new ConcurrentModificationException();
        }
        return value;
    }

    private V replaced(K key, int place, V value) {
        if (value == null) {
            removeAt(place);
        } else {
            entries[place].value = value;
            used(place);
        }
        return value;
    }

    public void putAll(Map<? extends K, ? extends V> other) {
        int size = other.size();
        if (size > 0) {
            if (count == 0) {
                int needed = power((int) (size / fill + 1.0f));
                capacity = capacity < needed ? needed : capacity;
            }
            for (Map.Entry<? extends K, ? extends V> each : other.entrySet()) {
                put(each.getKey(), each.getValue());
            }
        }
    }

    public V remove(Object key) {
        int place = find(key);
        return place < 0 ? null : removeAt(place).value;
    }

    Entry<K, V> removeAt(int place) {
        Entry<K, V> found = entries[place];
        for (int i = place + 1; i < count; i++) {
            entries[i - 1] = entries[i];
        }
        entries[--count] = null;
        changes++;
        return found;
    }

    public void clear() {
        for (int i = 0; i < count; i++) {
            entries[i] = null;
        }
        count = 0;
        changes++;
    }

    public boolean remove(Object key, Object value) {
        int place = find(key);
        if (place < 0 || !Objects.equals(entries[place].value, value)) {
            return false;
        }
        removeAt(place);
        return true;
    }

    @SuppressWarnings("unchecked")
    public Object clone() {
        HashMap<K, V> made = new HashMap<>(this);
        return made;
    }

    /** The entries in the order in which a program meets them: by bucket, and in a bucket the oldest first. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    Entry<K, V>[] ordered() {
        Entry<K, V>[] found = new Entry[count];
        int[] buckets = new int[count];
        for (int i = 0; i < count; i++) {
            Entry<K, V> entry = entries[i];
            int bucket = count == 1 ? 0 : bucket(entry.key);
            int at = i;
            while (at > 0 && buckets[at - 1] > bucket) {
                found[at] = found[at - 1];
                buckets[at] = buckets[at - 1];
                at--;
            }
            found[at] = entry;
            buckets[at] = bucket;
        }
        return found;
    }

    private int bucket(Object key) {
        if (key == null) {
            return 0;
        }
        int hash = key.hashCode();
        return (hash >= 0 && hash < PLAIN ? hash : hash ^ hash >>> 16) & capacity - 1;
    }

    public Set<Map.Entry<K, V>> entrySet() {
        return new Entries<>(this);
    }

    /** The entries as a set that shows the map as it is. */
    private static final class Entries<K, V> extends AbstractSet<Map.Entry<K, V>> {
        private final HashMap<K, V> map;

        Entries(HashMap<K, V> map) {
            this.map = map;
        }

        public int size() {
            return map.count;
        }

        public Iterator<Map.Entry<K, V>> iterator() {
            return new Walk<>(map);
        }

        public void clear() {
            map.clear();
        }
    }

    /** Goes over the entries once. */
    private static final class Walk<K, V> implements Iterator<Map.Entry<K, V>> {
        private final HashMap<K, V> map;
        private final Entry<K, V>[] order;
        private int next;
        private int changes;
        private Entry<K, V> last;

        Walk(HashMap<K, V> map) {
            this.map = map;
            order = map.ordered();
            changes = map.changes;
        }

        public boolean hasNext() {
            return next < order.length;
        }

        public Map.Entry<K, V> next() {
            if (changes != map.changes) {
                throw new ConcurrentModificationException();
            }
            if (next >= order.length) {
                throw new NoSuchElementException();
            }
            last = order[next++];
            return last;
        }

        public void remove() {
            if (last == null) {
                throw new IllegalStateException();
            }
            if (changes != map.changes) {
                throw new ConcurrentModificationException();
            }
            for (int i = 0; i < map.count; i++) {
                if (map.entries[i] == last) {
                    map.removeAt(i);
                    break;
                }
            }
            changes = map.changes;
            last = null;
        }
    }
}
