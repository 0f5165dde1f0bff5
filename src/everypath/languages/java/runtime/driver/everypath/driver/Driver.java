package everypath.driver;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles and runs tests of one program after the other, each test in classes of its own.
 *
 * <p>What comes in are frames (eight bytes of length, little end first, then so many bytes), each a list of texts: a
 * program, then work on it, then an empty frame when the next program follows. What goes out are lines of JSON: one when
 * the program is there, one for each test.
 */
public final class Driver {
    private static final int HEAD = 8;
    private static PrintStream channel;

    private Driver() {}

    public static void main(String[] arguments) throws Exception {
        channel = System.out;
        DataInputStream input = new DataInputStream(System.in);
        Output.take();
        Fences.end();
        if (arguments.length > 0) {
            new Compiler(List.of(), List.of()).warmUp();
            return;
        }
        Thread warming = new Thread(() -> new Compiler(List.of(), List.of()).warmUp(), "warming");
        warming.setDaemon(true);
        warming.start();
        while (true) {
            byte[] frame = frame(input);
            if (frame == null) {
                return;
            }
            if (frame.length > 0 && !serve(new Program(texts(frame)), input, warming)) {
                return;
            }
        }
    }

    /** Works on one program until the next one follows; whether there may be a next one. */
    private static boolean serve(Program program, DataInputStream input, Thread warming) throws Exception {
        say(new Answer().put("loaded", "yes"));
        while (true) {
            byte[] frame = frame(input);
            if (frame == null) {
                return false;
            }
            if (frame.length == 0) {
                return true;
            }
            // Two compilers at a time take longer than one after the other.
            warming.join();
            List<String> texts = texts(frame);
            Work.of(texts, program).run();
        }
    }

    /** Writes one line; nobody but this channel can write there. */
    static synchronized void say(Answer answer) {
        byte[] line = (answer.text() + "\n").getBytes(StandardCharsets.UTF_8);
        channel.write(line, 0, line.length);
        channel.flush();
    }

    private static byte[] frame(DataInputStream input) throws IOException {
        byte[] head = new byte[HEAD];
        try {
            input.readFully(head);
        } catch (EOFException end) {
            return null;
        }
        long length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getLong();
        byte[] frame = new byte[Math.toIntExact(length)];
        input.readFully(frame);
        return frame;
    }

    private static List<String> texts(byte[] frame) {
        ByteBuffer buffer = ByteBuffer.wrap(frame);
        List<String> texts = new ArrayList<>();
        while (buffer.hasRemaining()) {
            byte[] text = new byte[buffer.getInt()];
            buffer.get(text);
            texts.add(new String(text, StandardCharsets.UTF_8));
        }
        return texts;
    }
}
