package papers;

/** Three writes whose indices may coincide (Example 4 of "A CLP Heap Solver for Test Case Generation"). */
public class Writes {
    public static int lastWriteWins(@NonNull int[] x, int i, int j, int k) {
        x[k] = -1;
        x[i] = 2;
        x[j] = 5;
        if (x[k] > 0) {
            return 1;
        } else {
            return 0;
        }
    }
}
