package papers;

/** Least common multiple with a caught division by zero (Figure 13 of "Test Case Generation by Symbolic Execution"). */
public class Arithmetic {
    static int abs(int a) {
        if (a >= 0) {
            return a;
        } else {
            return -a;
        }
    }

    static int gcd(int a, int b) {
        int res;
        while (b != 0) {
            res = a % b;
            a = b;
            b = res;
        }
        return abs(a);
    }

    public static int lcm(int a, int b) {
        if (a < b) {
            int aux = a;
            a = b;
            b = aux;
        }
        int d = gcd(a, b);
        try {
            return abs(a * b) / d;
        } catch (Exception e) {
            return -1;
        }
    }
}
