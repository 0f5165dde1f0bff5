package papers;

/** Integer power by repeated multiplication (Figure 1 of "Test Case Generation by Symbolic Execution"). */
public class IntExp {
    public static int intExp(int a, int n) {
        if (n < 0) {
            throw new ArithmeticException();
        }
        int out = 1;
        while (n > 0) {
            out = out * a;
            n--;
        }
        return out;
    }
}
