package ds;

/** A list of positions that know both neighbours; two nodes without elements guard its ends. */
public class DoublyLinkedList<E> {
    static class Node<E> implements Position<E> {
        E element;
        Node<E> previous;
        Node<E> next;

        Node(E element, Node<E> previous, Node<E> next) {
            this.element = element;
            this.previous = previous;
            this.next = next;
        }

        @Override
        public E element() {
            if (previous == null && next == null) {
                throw new InvalidPositionException("the position is not in a list");
            }
            return element;
        }
    }

    private int size;
    private Node<E> header;
    private Node<E> trailer;

    public DoublyLinkedList() {
        header = new Node<>(null, null, null);
        trailer = new Node<>(null, header, null);
        header.next = trailer;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    private Node<E> checked(Node<E> position) {
        if (position == null) {
            throw new InvalidPositionException("no position");
        }
        if (position == header || position == trailer) {
            throw new InvalidPositionException("the position guards an end");
        }
        if (position.previous == null || position.next == null) {
            throw new InvalidPositionException("the position is not in a list");
        }
        return position;
    }

    public Node<E> insertAfter(Node<E> position, E element) {
        Node<E> node = checked(position);
        Node<E> made = new Node<>(element, node, node.next);
        node.next.previous = made;
        node.next = made;
        size++;
        return made;
    }

    public E remove(Node<E> position) {
        Node<E> node = checked(position);
        node.previous.next = node.next;
        node.next.previous = node.previous;
        node.previous = null;
        node.next = null;
        size--;
        return node.element;
    }

    /** How many positions hold an element that is equal to the given one. */
    public int count(E element) {
        int found = 0;
        for (Node<E> node = header.next; node != trailer; node = node.next) {
            if (element == null ? node.element == null : element.equals(node.element)) {
                found++;
            }
        }
        return found;
    }
}
