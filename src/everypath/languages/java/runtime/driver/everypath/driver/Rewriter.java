package everypath.driver;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Puts probes into a class: one before each line, one on each side of a branch. Nothing else changes.
 *
 * <p>The tables that only the verifier reads are left out; the driver runs with it turned off.
 */
final class Rewriter {
    private static final String PROBE = "everypath/driver/Probe";
    private static final String RECORDER = "everypath/driver/Recorder";
    private final DataInputStream input;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream output = new DataOutputStream(bytes);
    private final String name;
    private final String probe;
    private final boolean records;
    private Pool pool;

    private Rewriter(byte[] original, String name, String probe, boolean records) {
        input = new DataInputStream(new ByteArrayInputStream(original));
        this.name = name;
        this.probe = probe;
        this.records = records;
    }

    /** The class with probes; as it was if it has no room for them. */
    static byte[] rewrite(byte[] original, String name) {
        return rewrite(original, name, PROBE, false);
    }

    /** The same with another class that is called at each probe. */
    static byte[] rewrite(byte[] original, String name, String probe) {
        return rewrite(original, name, probe, false);
    }

    /** The class with probes that also tell its variables at each line. */
    static byte[] recording(byte[] original, String name) {
        return rewrite(original, name, RECORDER, true);
    }

    private static byte[] rewrite(byte[] original, String name, String probe, boolean records) {
        try {
            return new Rewriter(original, name, probe, records).rewritten();
        } catch (IOException | RuntimeException problem) {
            // The JVM says what is wrong with it, if anything is.
            return original;
        }
    }

    private byte[] rewritten() throws IOException {
        output.writeInt(input.readInt());
        output.writeInt(input.readInt());
        pool = new Pool(input);
        pool.write(output, probe, records ? Notes.METHODS : Code.METHODS);
        copy(6);
        copy(2 * copyShort());
        for (int fields = copyShort(); fields > 0; fields--) {
            copy(6);
            copyAttributes();
        }
        for (int methods = copyShort(); methods > 0; methods--) {
            method();
        }
        copyAttributes();
        return bytes.toByteArray();
    }

    private void method() throws IOException {
        int flags = copyShort();
        int nameIndex = copyShort();
        int descriptor = copyShort();
        String called = pool.text(nameIndex);
        String method = called + pool.text(descriptor);
        boolean noted = records && Notes.areWanted(called, flags);
        for (int count = copyShort(); count > 0; count--) {
            int attribute = copyShort();
            byte[] content = input.readNBytes(input.readInt());
            if (pool.text(attribute).equals("Code")) {
                Notes notes = noted ? new Notes(content, pool, name, called, pool.text(descriptor)) : null;
                content = Code.withProbes(content, pool, name, method, notes);
            }
            output.writeInt(content.length);
            output.write(content);
        }
    }

    private void copyAttributes() throws IOException {
        for (int count = copyShort(); count > 0; count--) {
            copy(2);
            int length = input.readInt();
            output.writeInt(length);
            copy(length);
        }
    }

    private int copyShort() throws IOException {
        int value = input.readUnsignedShort();
        output.writeShort(value);
        return value;
    }

    private void copy(int length) throws IOException {
        output.write(input.readNBytes(length));
    }
}
