package java.util;

/** A map in the order in which its keys came, or were last used. */
public class LinkedHashMap<K, V> extends HashMap<K, V> implements Map<K, V> {
    private final boolean byUse;

    public LinkedHashMap() {
        byUse = false;
    }

    public LinkedHashMap(int capacity) {
        super(capacity);
        byUse = false;
    }

    public LinkedHashMap(int capacity, float fill) {
        super(capacity, fill);
        byUse = false;
    }

    public LinkedHashMap(int capacity, float fill, boolean byUse) {
        super(capacity, fill);
        this.byUse = byUse;
    }

    public LinkedHashMap(Map<? extends K, ? extends V> other) {
        byUse = false;
        putAll(other);
    }

    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return false;
    }

    void used(int place) {
        if (byUse && place < count - 1) {
            HashMap.Entry<K, V> entry = entries[place];
            for (int i = place + 1; i < count; i++) {
                entries[i - 1] = entries[i];
            }
            entries[count - 1] = entry;
            changes++;
        }
    }

    void prepended() {}

    void added() {
        if (removeEldestEntry(entries[0])) {
            removeAt(0);
        }
    }

    HashMap.Entry<K, V>[] ordered() {
        return Arrays.copyOf(entries, count);
    }

    @SuppressWarnings("unchecked")
    public Object clone() {
        LinkedHashMap<K, V> made = new LinkedHashMap<>(16, fill, byUse);
        made.putAll(this);
        return made;
    }
}
