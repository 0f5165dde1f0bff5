package everypath.driver;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The constants of a class, and those that calls of probes need besides. */
final class Pool {
    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;
    private final int count;
    private final byte[] raw;
    private final String[] texts;
    private final int[] firsts;
    private final int[] seconds;
    /** name and descriptor of a method that probes call -> where its reference is */
    private final Map<String, Integer> probes = new HashMap<>();

    Pool(DataInputStream input) throws IOException {
        count = input.readUnsignedShort();
        texts = new String[count];
        firsts = new int[count];
        seconds = new int[count];
        ByteArrayOutputStream copied = new ByteArrayOutputStream();
        DataOutputStream copy = new DataOutputStream(copied);
        for (int i = 1; i < count; i++) {
            int tag = input.readUnsignedByte();
            copy.writeByte(tag);
            switch (tag) {
                case UTF8:
                    texts[i] = input.readUTF();
                    copy.writeUTF(texts[i]);
                    break;
                case 3: case 4:
                    copy.writeInt(input.readInt());
                    break;
                case 5: case 6:
                    copy.writeLong(input.readLong());
                    i++;
                    break;
                case CLASS: case 8: case 16: case 19: case 20:
                    firsts[i] = input.readUnsignedShort();
                    copy.writeShort(firsts[i]);
                    break;
                case 9: case METHOD: case 11: case NAME_AND_TYPE: case 17: case 18:
                    firsts[i] = input.readUnsignedShort();
                    seconds[i] = input.readUnsignedShort();
                    copy.writeShort(firsts[i]);
                    copy.writeShort(seconds[i]);
                    break;
                case 15:
                    copy.writeByte(input.readUnsignedByte());
                    copy.writeShort(input.readUnsignedShort());
                    break;
                default:
                    throw new IOException("constant " + tag);
            }
        }
        raw = copied.toByteArray();
    }

    String text(int index) {
        return texts[index];
    }

    /** Where the reference to a method that probes call is; named with its descriptor. */
    int probe(String method) {
        return probes.get(method);
    }

    /** The class of a method reference. */
    String owner(int reference) {
        return texts[firsts[firsts[reference]]];
    }

    /** The name of the method of a reference. */
    String method(int reference) {
        return texts[firsts[seconds[reference]]];
    }

    /** Writes all constants and after them those for some methods of the class that probes call. */
    void write(DataOutputStream output, String probe, List<String> methods) throws IOException {
        int added = 2 + 4 * methods.size();
        if (count + added > 0xffff) {
            throw new IOException("too many constants");
        }
        output.writeShort(count + added);
        output.write(raw);
        utf8(output, probe);
        pair(output, CLASS, count, -1);
        int at = count + 2;
        for (String method : methods) {
            int split = method.indexOf('(');
            utf8(output, method.substring(0, split));
            utf8(output, method.substring(split));
            pair(output, NAME_AND_TYPE, at, at + 1);
            pair(output, METHOD, count + 1, at + 2);
            probes.put(method, at + 3);
            at += 4;
        }
    }

    private static void utf8(DataOutputStream output, String text) throws IOException {
        output.writeByte(UTF8);
        output.writeUTF(text);
    }

    private static void pair(DataOutputStream output, int tag, int first, int second) throws IOException {
        output.writeByte(tag);
        output.writeShort(first);
        if (second >= 0) {
            output.writeShort(second);
        }
    }
}
