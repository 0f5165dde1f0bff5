package papers;

/** Simplifying a fraction by the greatest common divisor (Figure 6 of "Test Case Generation by Symbolic Execution"). */
public class Rational {
    int n;
    int d;

    Rational(int n, int d) {
        this.n = n;
        this.d = d;
    }

    void simplify() {
        int divisor = Arithmetic.gcd(n, d);
        n = n / divisor;
        d = d / divisor;
    }
}
