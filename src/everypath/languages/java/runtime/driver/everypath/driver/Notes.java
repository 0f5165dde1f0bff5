package everypath.driver;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one method tells a recorder, besides the places that it reaches: that it begins, its variables at each line, how it
 * ends.
 *
 * <p>Which variable is where is said by the table that compilers write with `-g`. Without it only lines are told: what a
 * slot holds that no table names, nobody knows.
 */
final class Notes {
    private static final List<String> KINDS = List.of("I", "J", "F", "D", "Ljava/lang/Object;");
    /** The methods that probes and notes call. */
    static final List<String> METHODS = Stream.of(
                    Code.METHODS.stream(),
                    Stream.of("enter(II)V", "line(II)V", "returns()V", "raises(Ljava/lang/Throwable;)V"),
                    KINDS.stream().map(kind -> "variable(" + kind + "I)V"),
                    KINDS.stream().map(kind -> "returns(" + kind + ")V"))
            .flatMap(each -> each).toList();
    /** The length of what tells that the method begins. */
    static final int ENTER = 9;
    /** The length of what tells that the method throws, and throws on. */
    static final int CLOSING = 5;
    private static final int LINE = 9;
    private static final int VARIABLE = 10;
    private static final int SYNTHETIC = 0x1000;
    private static final int LOAD = 21;
    private static final int FIRST_RETURN = 172;
    private static final int RETURN = 177;
    private static final int WIDE = 196;
    private static final int SHORT = 17;
    private static final int DUP = 89;
    private static final int DUP2 = 92;
    private static final int CALL = 184;
    private static final int THROW = 191;
    private final Pool pool;
    private final int method;
    private final int[] lines;
    private final List<Variable> variables = new ArrayList<>();

    Notes(byte[] content, Pool pool, String cls, String name, String descriptor) {
        this.pool = pool;
        ByteBuffer code = ByteBuffer.wrap(content);
        int length = code.getInt(4);
        lines = new int[length];
        int at = 8 + length + 2 + 8 * (code.getShort(8 + length) & 0xffff);
        int count = code.getShort(at) & 0xffff;
        at += 2;
        for (; count > 0; count--) {
            String table = pool.text(code.getShort(at) & 0xffff);
            int entries = table.equals("LineNumberTable") || table.equals("LocalVariableTable")
                    ? code.getShort(at + 6) & 0xffff : 0;
            for (int i = 0; i < entries; i++) {
                if (table.equals("LineNumberTable")) {
                    lines[code.getShort(at + 8 + 4 * i) & 0xffff] = code.getShort(at + 10 + 4 * i) & 0xffff;
                } else {
                    variable(code, at + 8 + 10 * i);
                }
            }
            at += 6 + code.getInt(at + 2);
        }
        method = Recorder.number(new Recorder.Method(cls, name, descriptor, List.copyOf(variables)));
    }

    /** Whether a method is shown: what the compiler adds has no source, but for the bodies of lambdas. */
    static boolean areWanted(String name, int flags) {
        return !name.equals("<clinit>") && ((flags & SYNTHETIC) == 0 || name.startsWith("lambda$"));
    }

    /** How much is put in front of an instruction. */
    int length(int pc, int opcode) {
        boolean returns = returns(opcode);
        if (lines[pc] == 0 && !returns) {
            return 0;
        }
        int ending = !returns ? 0 : opcode == RETURN ? 3 : 4;
        return VARIABLE * visible(pc).size() + (lines[pc] > 0 ? LINE : 0) + ending;
    }

    /** Puts it there. */
    void write(int pc, int opcode, DataOutputStream output) throws IOException {
        if (length(pc, opcode) == 0) {
            return;
        }
        for (Variable variable : visible(pc)) {
            int kind = variable.kind();
            output.writeByte(WIDE);
            output.writeByte(LOAD + kind);
            output.writeShort(variable.slot());
            output.writeByte(SHORT);
            output.writeShort(variables.indexOf(variable));
            call("variable(" + KINDS.get(kind) + "I)V", output);
        }
        if (lines[pc] > 0) {
            number(lines[pc], "line(II)V", output);
        }
        if (opcode == RETURN) {
            call("returns()V", output);
        } else if (returns(opcode)) {
            int kind = opcode - FIRST_RETURN;
            output.writeByte(kind == 1 || kind == 3 ? DUP2 : DUP);
            call("returns(" + KINDS.get(kind) + ")V", output);
        }
    }

    /** Tells that the method begins. */
    void enter(DataOutputStream output) throws IOException {
        number(method, "enter(II)V", output);
    }

    /** Where everything leads that the method does not catch. */
    void closing(DataOutputStream output) throws IOException {
        output.writeByte(DUP);
        call("raises(Ljava/lang/Throwable;)V", output);
        output.writeByte(THROW);
    }

    private static boolean returns(int opcode) {
        return opcode >= FIRST_RETURN && opcode <= RETURN;
    }

    private void variable(ByteBuffer code, int at) {
        int from = code.getShort(at) & 0xffff;
        int until = from + (code.getShort(at + 2) & 0xffff);
        String name = pool.text(code.getShort(at + 4) & 0xffff);
        String descriptor = pool.text(code.getShort(at + 6) & 0xffff);
        variables.add(new Variable(name, descriptor, code.getShort(at + 8) & 0xffff, from, until));
    }

    private List<Variable> visible(int pc) {
        return variables.stream().filter(each -> each.from() <= pc && pc < each.until()).toList();
    }

    private void number(int number, String called, DataOutputStream output) throws IOException {
        output.writeByte(SHORT);
        output.writeShort(number >> 15);
        output.writeByte(SHORT);
        output.writeShort(number & 0x7fff);
        call(called, output);
    }

    private void call(String called, DataOutputStream output) throws IOException {
        output.writeByte(CALL);
        output.writeShort(pool.probe(called));
    }

    /** A variable of the source: in which slot it is, and between which instructions. */
    record Variable(String name, String descriptor, int slot, int from, int until) {
        /** Which of the kinds of values it has: references are the last, and small integers are integers. */
        int kind() {
            char first = descriptor.charAt(0);
            return first == 'L' || first == '[' ? KINDS.size() - 1 : Math.max(0, "IJFD".indexOf(first));
        }
    }
}
