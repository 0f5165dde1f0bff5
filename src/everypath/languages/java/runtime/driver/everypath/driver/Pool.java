package everypath.driver;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

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
    /** where the methods of the probes are */
    private int hit;
    private int refuse;
    private int initialise;

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

    int hit() {
        return hit;
    }

    int refuse() {
        return refuse;
    }

    int initialise() {
        return initialise;
    }

    /** The class of a method reference. */
    String owner(int reference) {
        return texts[firsts[firsts[reference]]];
    }

    /** The name of the method of a reference. */
    String method(int reference) {
        return texts[firsts[seconds[reference]]];
    }

    /** Writes all constants and the new ones after them. */
    void write(DataOutputStream output, String probe) throws IOException {
        int added = 12;
        if (count + added > 0xffff) {
            throw new IOException("too many constants");
        }
        output.writeShort(count + added);
        output.write(raw);
        utf8(output, probe);
        pair(output, CLASS, count, -1);
        utf8(output, "(II)V");
        hit = method(output, "hit", count + 3);
        refuse = method(output, "refuse", count + 6);
        initialise = method(output, "initialise", count + 9);
    }

    private int method(DataOutputStream output, String name, int at) throws IOException {
        utf8(output, name);
        pair(output, NAME_AND_TYPE, at, count + 2);
        pair(output, METHOD, count + 1, at + 1);
        return at + 2;
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
