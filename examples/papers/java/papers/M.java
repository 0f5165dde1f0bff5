package papers;

/** Three references whose aliasing decides a branch (Figure 3 of "Test Case Generation by Symbolic Execution"). */
public class M {
    public static class Ref {
        int f;
    }

    static void a() {}

    static void b() {}

    static void c(int v) {}

    static void d(int v) {}

    public static void m(@NonNull Ref x, @NonNull Ref y, @NonNull Ref z) {
        x.f = 1;
        z.f = -5;
        a();
        y.f = x.f + 1;
        b();
        if (x == z) {
            c(y.f);
        } else {
            d(y.f);
        }
    }

    /** The test of a field tells three references apart (Example 3 of "A CLP Heap Solver for Test Case Generation"). */
    public static int mField(@NonNull Ref x, @NonNull Ref y, @NonNull Ref z) {
        x.f = 1;
        z.f = -5;
        y.f = x.f + 1;
        if (x.f == 1) {
            return y.f;
        }
        return 0;
    }
}
