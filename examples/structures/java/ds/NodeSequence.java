package ds;

/** A sequence that can be reached by rank and by position. */
public class NodeSequence {
    static class Node {
        int element;
        Node previous;
        Node next;
    }

    int size;
    Node header;
    Node trailer;

    private void checkRank(int rank) {
        if (rank < 0 || rank >= size) {
            throw new IndexOutOfBoundsException("rank " + rank);
        }
    }

    /** The position at a rank, looked for from the nearer end. */
    public Node atRank(int rank) {
        checkRank(rank);
        Node node;
        if (rank <= size / 2) {
            node = header.next;
            for (int i = 0; i < rank; i++) {
                node = node.next;
            }
        } else {
            node = trailer.previous;
            for (int i = 0; i < size - rank - 1; i++) {
                node = node.previous;
            }
        }
        return node;
    }

    public int replaceAtRank(int rank, int element) {
        Node node = atRank(rank);
        int old = node.element;
        node.element = element;
        return old;
    }

    public int removeAtRank(int rank) {
        Node node = atRank(rank);
        node.previous.next = node.next;
        node.next.previous = node.previous;
        size--;
        return node.element;
    }

    public void swap(Node one, Node other) {
        int kept = one.element;
        one.element = other.element;
        other.element = kept;
    }
}
