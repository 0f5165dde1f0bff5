package ds;

/** A search tree of integers without balance. */
public class BinarySearchTree {
    static class Node {
        int key;
        Node left;
        Node right;

        Node(int key) {
            this.key = key;
        }
    }

    Node root;
    int size;

    public boolean contains(int key) {
        Node node = root;
        while (node != null) {
            if (key == node.key) {
                return true;
            }
            node = key < node.key ? node.left : node.right;
        }
        return false;
    }

    public boolean insert(int key) {
        Node parent = null;
        Node node = root;
        while (node != null) {
            if (key == node.key) {
                return false;
            }
            parent = node;
            node = key < node.key ? node.left : node.right;
        }
        Node made = new Node(key);
        if (parent == null) {
            root = made;
        } else if (key < parent.key) {
            parent.left = made;
        } else {
            parent.right = made;
        }
        size++;
        return true;
    }

    public boolean remove(int key) {
        Node parent = null;
        Node node = root;
        while (node != null && node.key != key) {
            parent = node;
            node = key < node.key ? node.left : node.right;
        }
        if (node == null) {
            return false;
        }
        if (node.left != null && node.right != null) {
            Node least = node.right;
            Node above = node;
            while (least.left != null) {
                above = least;
                least = least.left;
            }
            node.key = least.key;
            parent = above;
            node = least;
        }
        Node child = node.left != null ? node.left : node.right;
        if (parent == null) {
            root = child;
        } else if (parent.left == node) {
            parent.left = child;
        } else {
            parent.right = child;
        }
        size--;
        return true;
    }
}
