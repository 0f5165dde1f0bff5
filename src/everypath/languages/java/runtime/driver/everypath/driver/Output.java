package everypath.driver;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/** What code under test writes goes nowhere, and there is nothing that it could read. */
final class Output {
    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

    private Output() {}

    /** Puts the standard streams in order, once more after each test. */
    static void take() {
        System.setIn(
                new InputStream() {
                    @Override
                    public int read() {
                        throw Fences.refuse("read what is typed");
                    }
                });
        System.setOut(NOWHERE);
        System.setErr(NOWHERE);
    }
}
