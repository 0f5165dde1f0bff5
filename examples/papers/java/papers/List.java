package papers;

/** Removing all elements of one linked list from another (Figure 10 of "Test Case Generation by Symbolic Execution"). */
public class List {
    static class Node {
        int data;
        Node next;

        Node(int data, Node next) {
            this.data = data;
            this.next = next;
        }
    }

    Node first;

    List(Node first) {
        this.first = first;
    }

    void remAll(List l) {
        Node lf = l.first;
        while (lf != null) {
            Node prev = null;
            Node p = null;
            Node next = first;
            while (next != null) {
                prev = p;
                p = next;
                next = next.next;
                if (p.data == lf.data) {
                    if (prev == null) {
                        first = next;
                        p = null;
                    } else {
                        prev.next = next;
                        p = prev;
                    }
                }
            }
            lf = lf.next;
        }
    }
}
