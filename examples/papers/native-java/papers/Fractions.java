package papers;

/** Copying an array by native code (Figure 6 of "Test Case Generation by Symbolic Execution"); see simp.summary. */
public class Fractions {
    public Rational[] simp(Rational[] rs) {
        int length = rs.length;
        Rational[] old = new Rational[length];
        NativeArrays.arrayCopy(rs, old, length);
        for (int i = 0; i < length; i++) {
            rs[i].simplify();
        }
        return old;
    }
}
