package papers;

/** Two references that may be null or the same object (Example 2 of "Test Case Generation by Symbolic Execution"). */
public class Mist {
    public static class C {
        int f;
    }

    public static void mist(C r1, C r2) {
        if (r1.f > 0) {
            r2.f = 1;
        } else {
            r1.f = 0;
        }
    }
}
