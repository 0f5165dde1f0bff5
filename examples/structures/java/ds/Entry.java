package ds;

/** A key with its value. */
public interface Entry<K, V> {
    K key();

    V value();
}
