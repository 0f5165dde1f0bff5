package ds;

/** A priority queue in an array: each key is at most as large as those below it. */
public class HeapPriorityQueue {
    int[] keys;
    int size;

    public HeapPriorityQueue(int capacity) {
        keys = new int[capacity];
    }

    public int least() {
        if (size == 0) {
            throw new EmptyStructureException("the queue is empty");
        }
        return keys[0];
    }

    public void insert(int key) {
        if (size == keys.length) {
            throw new IllegalStateException("the queue is full");
        }
        int at = size++;
        keys[at] = key;
        while (at > 0 && keys[at] < keys[(at - 1) / 2]) {
            swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    public int removeLeast() {
        int least = least();
        size--;
        keys[0] = keys[size];
        int at = 0;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && keys[child + 1] < keys[child]) {
                child++;
            }
            if (keys[at] <= keys[child]) {
                break;
            }
            swap(at, child);
            at = child;
        }
        return least;
    }

    private void swap(int one, int other) {
        int kept = keys[one];
        keys[one] = keys[other];
        keys[other] = kept;
    }
}
