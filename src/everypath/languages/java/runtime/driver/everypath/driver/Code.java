package everypath.driver;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The code of one method with probes.
 *
 * <p>First every instruction gets its new place, probes counted; then all is written with jumps to the new places. A
 * branch that is taken leads to a probe behind the code, from where it goes on to where it led before.
 */
final class Code {
    /** The methods that probes call. */
    static final List<String> METHODS = List.of("hit(II)V", "refuse(II)V", "initialise(II)V");
    private static final int MOST = 32_000;
    private static final int PROBE_LENGTH = 9;
    private static final int GOTO = 167;
    private static final int RETURN = 177;
    private static final int THROW = 191;
    private final ByteBuffer old;
    private final Pool pool;
    private final String place;
    private final String cls;
    private final boolean initialiser;
    private final int start;
    private final int length;
    private final int[] labels;
    private final int[] lines;
    private final int[] lineProbes;
    /** probe -> where the code goes on behind it */
    private final Map<Integer, Integer> detours = new HashMap<>();
    private final List<Integer> detourOrder = new ArrayList<>();
    /** place of a jump and its target -> probe */
    private final Map<Long, Integer> branches = new HashMap<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream output = new DataOutputStream(bytes);

    /** what is told besides of every line, or null */
    private final Notes notes;

    private Code(byte[] content, Pool pool, String cls, String method, Notes notes) {
        this.notes = notes;
        old = ByteBuffer.wrap(content);
        this.pool = pool;
        this.cls = cls;
        place = cls + "#" + method + "@";
        length = old.getInt(4);
        start = 8;
        initialiser = method.startsWith("<clinit>");
        labels = new int[length + 1];
        lines = new int[length];
        lineProbes = new int[length];
    }

    /** The content of the attribute `Code` with probes, and notes unless they are null; as it was if that is too long. */
    static byte[] withProbes(byte[] content, Pool pool, String cls, String method, Notes notes) throws IOException {
        Code code = new Code(content, pool, cls, method, notes);
        if (code.length > MOST / 3) {
            return content;
        }
        byte[] rewritten = code.rewritten();
        return rewritten != null ? rewritten : notes == null ? content : withProbes(content, pool, cls, method, null);
    }

    /** The code with probes, or null if that is too long. */
    private byte[] rewritten() throws IOException {
        readLines();
        int end = measure();
        end += detourOrder.size() * (PROBE_LENGTH + 3);
        // What throws is over as well.
        int failing = end;
        boolean closes = initialiser || notes != null;
        end += initialiser ? PROBE_LENGTH + 1 : closes ? Notes.CLOSING : 0;
        if (end > MOST) {
            return null;
        }
        output.writeShort(old.getShort(0) + 3);
        output.writeShort(old.getShort(2));
        output.writeInt(end);
        emit();
        if (initialiser) {
            probe(0, pool.probe("initialise(II)V"));
            output.writeByte(THROW);
        } else if (notes != null) {
            notes.closing(output);
        }
        int exceptions = old.getShort(start + length) & 0xffff;
        output.writeShort(exceptions + (closes ? 1 : 0));
        int at = start + length + 2;
        for (int i = 0; i < exceptions; i++, at += 8) {
            for (int part = 0; part < 3; part++) {
                output.writeShort(labels[old.getShort(at + 2 * part) & 0xffff]);
            }
            output.writeShort(old.getShort(at + 6));
        }
        if (closes) {
            for (int part : new int[] {notes == null ? 0 : Notes.ENTER, failing, failing, 0}) {
                output.writeShort(part);
            }
        }
        attributes(at);
        return bytes.toByteArray();
    }

    /** Finds the first instruction of each line. */
    private void readLines() {
        int at = start + length + 2 + 8 * (old.getShort(start + length) & 0xffff);
        int count = old.getShort(at) & 0xffff;
        at += 2;
        for (; count > 0; count--) {
            String name = pool.text(old.getShort(at) & 0xffff);
            int size = old.getInt(at + 2);
            if (name.equals("LineNumberTable")) {
                for (int i = 0; i < (old.getShort(at + 6) & 0xffff); i++) {
                    lines[old.getShort(at + 8 + 4 * i) & 0xffff] = old.getShort(at + 10 + 4 * i) & 0xffff;
                }
            }
            at += 6 + size;
        }
        enterLines();
    }

    /** A line is also executed by a jump into the middle of it. */
    private void enterLines() {
        boolean[] entered = new boolean[length + 1];
        int handlers = start + length + 2;
        for (int i = 0; i < (old.getShort(start + length) & 0xffff); i++) {
            entered[old.getShort(handlers + 8 * i + 4) & 0xffff] = true;
        }
        for (int pc = 0; pc < length; pc += size(pc)) {
            int opcode = opcode(pc);
            if (isConditional(opcode) || opcode == GOTO || opcode == 168) {
                entered[pc + old.getShort(start + pc + 1)] = true;
            } else if (opcode == 200 || opcode == 201) {
                entered[pc + old.getInt(start + pc + 1)] = true;
            } else if (opcode == 170 || opcode == 171) {
                for (int target : targets(pc)) {
                    entered[target] = true;
                }
            }
        }
        int line = 0;
        for (int pc = 0; pc < length; pc++) {
            line = lines[pc] > 0 ? lines[pc] : line;
            if (entered[pc]) {
                lines[pc] = line;
            }
        }
    }

    /** Where a switch may go, each place as often as it is named. */
    private int[] targets(int pc) {
        int at = start + pc + 4 - (pc & 3);
        boolean table = opcode(pc) == 170;
        int count = table ? old.getInt(at + 8) - old.getInt(at + 4) + 1 : old.getInt(at + 4);
        int[] found = new int[count + 1];
        found[count] = pc + old.getInt(at);
        for (int i = 0; i < count; i++) {
            found[i] = pc + old.getInt(table ? at + 12 + 4 * i : at + 12 + 8 * i);
        }
        return found;
    }

    /** Gives every instruction its new place and every line and branch its probe; the length without the detours. */
    private int measure() throws IOException {
        int now = notes == null ? 0 : Notes.ENTER;
        boolean fellThrough = false;
        for (int pc = 0; pc < length; pc += size(pc)) {
            now += fellThrough ? PROBE_LENGTH : 0;
            labels[pc] = now;
            lineProbes[pc] = -1;
            if (lines[pc] > 0) {
                lineProbes[pc] = number(cls + ":" + lines[pc]);
                now += PROBE_LENGTH;
            }
            if (guard(pc) >= 0) {
                now += PROBE_LENGTH;
            }
            if (marksInitialising(pc)) {
                now += PROBE_LENGTH;
            }
            int opcode = opcode(pc);
            int size = size(pc);
            now += notes == null ? 0 : notes.length(pc, opcode);
            fellThrough = isConditional(opcode);
            if (fellThrough) {
                branch(pc, pc + size, false);
                branch(pc, pc + old.getShort(start + pc + 1), true);
            } else if (opcode == 170 || opcode == 171) {
                switchBranches(pc);
                int padding = 3 - (pc & 3);
                size += (3 - (now & 3)) - padding;
            }
            now += size;
        }
        labels[length] = now;
        return now;
    }

    private int number(String name) throws IOException {
        int number = Probe.number(name);
        if (number < 0) {
            throw new IOException("too many probes");
        }
        return number;
    }

    private void branch(int pc, int target, boolean detour) throws IOException {
        long key = (long) pc << 32 | target;
        if (branches.containsKey(key)) {
            return;
        }
        int probe = number(place + pc + ">" + target);
        branches.put(key, probe);
        if (detour) {
            detours.put(probe, target);
            detourOrder.add(probe);
        }
    }

    private void switchBranches(int pc) throws IOException {
        for (int target : targets(pc)) {
            branch(pc, target, true);
        }
    }

    private void emit() throws IOException {
        Map<Integer, Integer> places = new HashMap<>();
        int behind = labels[length];
        for (int probe : detourOrder) {
            places.put(probe, behind);
            behind += PROBE_LENGTH + 3;
        }
        int header = 8;
        if (notes != null) {
            notes.enter(output);
        }
        boolean fellThrough = false;
        int before = 0;
        for (int pc = 0; pc < length; pc += size(pc)) {
            if (fellThrough) {
                probe(branches.get((long) before << 32 | pc), pool.probe("hit(II)V"));
            }
            if (marksInitialising(pc) && pc == 0) {
                probe(1, pool.probe("initialise(II)V"));
            }
            if (lineProbes[pc] >= 0) {
                probe(lineProbes[pc], pool.probe("hit(II)V"));
            }
            int guard = guard(pc);
            if (guard >= 0) {
                probe(guard, pool.probe("refuse(II)V"));
            }
            if (marksInitialising(pc) && pc > 0) {
                probe(0, pool.probe("initialise(II)V"));
            }
            if (notes != null) {
                notes.write(pc, opcode(pc), output);
            }
            instruction(pc, bytes.size() - header, places);
            fellThrough = isConditional(opcode(pc));
            before = pc;
        }
        for (int probe : detourOrder) {
            probe(probe, pool.probe("hit(II)V"));
            int from = bytes.size() - header;
            output.writeByte(GOTO);
            output.writeShort(labels[detours.get(probe)] - from);
        }
    }

    private void instruction(int pc, int now, Map<Integer, Integer> places) throws IOException {
        int opcode = opcode(pc);
        if (isConditional(opcode)) {
            int target = pc + old.getShort(start + pc + 1);
            Integer detour = places.get(branches.get((long) pc << 32 | target));
            output.writeByte(opcode);
            // A jump to the next instruction has one probe for both ways.
            output.writeShort((detour == null ? labels[target] : detour) - now);
        } else if (opcode == GOTO || opcode == 168) {
            output.writeByte(opcode);
            output.writeShort(labels[pc + old.getShort(start + pc + 1)] - now);
        } else if (opcode == 200 || opcode == 201) {
            output.writeByte(opcode);
            output.writeInt(labels[pc + old.getInt(start + pc + 1)] - now);
        } else if (opcode == 170 || opcode == 171) {
            switched(pc, now, places);
        } else {
            output.write(old.array(), start + pc, size(pc));
        }
    }

    private void switched(int pc, int now, Map<Integer, Integer> places) throws IOException {
        output.writeByte(opcode(pc));
        output.write(new byte[3 - (now & 3)]);
        int at = start + pc + 4 - (pc & 3);
        target(pc, at, now, places);
        boolean table = opcode(pc) == 170;
        int count;
        if (table) {
            output.writeInt(old.getInt(at + 4));
            output.writeInt(old.getInt(at + 8));
            count = old.getInt(at + 8) - old.getInt(at + 4) + 1;
        } else {
            count = old.getInt(at + 4);
            output.writeInt(count);
        }
        for (int i = 0; i < count; i++) {
            if (!table) {
                output.writeInt(old.getInt(at + 8 + 8 * i));
            }
            target(pc, table ? at + 12 + 4 * i : at + 12 + 8 * i, now, places);
        }
    }

    private void target(int pc, int at, int now, Map<Integer, Integer> places) throws IOException {
        long key = (long) pc << 32 | pc + old.getInt(at);
        output.writeInt(places.get(branches.get(key)) - now);
    }

    private void probe(int number, int method) throws IOException {
        // Two short numbers for one: a larger one would need a constant of its own.
        output.writeByte(17);
        output.writeShort(number >> 15);
        output.writeByte(17);
        output.writeShort(number & 0x7fff);
        output.writeByte(184);
        output.writeShort(method);
    }

    /** Lines and variables, which messages and stack traces show, with their new places. */
    private void attributes(int at) throws IOException {
        int count = old.getShort(at) & 0xffff;
        at += 2;
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        DataOutputStream table = new DataOutputStream(kept);
        int number = 0;
        for (; count > 0; count--) {
            String name = pool.text(old.getShort(at) & 0xffff);
            int size = old.getInt(at + 2);
            boolean isLines = name.equals("LineNumberTable");
            if (isLines || name.equals("LocalVariableTable")) {
                number++;
                table.write(old.array(), at, 8);
                int width = isLines ? 4 : 10;
                for (int entry = at + 8; entry < at + 6 + size; entry += width) {
                    int from = old.getShort(entry) & 0xffff;
                    table.writeShort(labels[from]);
                    if (isLines) {
                        table.writeShort(old.getShort(entry + 2));
                    } else {
                        table.writeShort(labels[from + (old.getShort(entry + 2) & 0xffff)] - labels[from]);
                        table.write(old.array(), entry + 4, 6);
                    }
                }
            }
            at += 6 + size;
        }
        output.writeShort(number);
        output.write(kept.toByteArray());
    }

    /** What the call at this place would do that is not allowed, or -1. */
    private int guard(int pc) {
        int opcode = opcode(pc);
        if (opcode < 182 || opcode > 185 || Fences.isManaged()) {
            return -1;
        }
        int reference = old.getShort(start + pc + 1) & 0xffff;
        return Guards.refused(pool.owner(reference), pool.method(reference));
    }

    /** Whether a class initialiser begins or ends at this instruction. */
    private boolean marksInitialising(int pc) {
        return initialiser && (pc == 0) != (opcode(pc) == RETURN);
    }

    private int opcode(int pc) {
        return old.get(start + pc) & 0xff;
    }

    private static boolean isConditional(int opcode) {
        return opcode >= 153 && opcode <= 166 || opcode == 198 || opcode == 199;
    }

    private int size(int pc) {
        int opcode = opcode(pc);
        int at = start + pc + 4 - (pc & 3);
        switch (opcode) {
            case 170:
                return at + 12 + 4 * (old.getInt(at + 8) - old.getInt(at + 4) + 1) - start - pc;
            case 171:
                return at + 8 + 8 * old.getInt(at + 4) - start - pc;
            case 196:
                return opcode(pc + 1) == 132 ? 6 : 4;
            default:
                return SIZES[opcode];
        }
    }

    private static final int[] SIZES = new int[256];

    static {
        java.util.Arrays.fill(SIZES, 1);
        for (int opcode : new int[] {16, 18, 21, 22, 23, 24, 25, 54, 55, 56, 57, 58, 169, 188}) {
            SIZES[opcode] = 2;
        }
        for (int opcode : new int[] {17, 19, 20, 132, 178, 179, 180, 181, 182, 183, 184, 187, 189, 192, 193, 198, 199}) {
            SIZES[opcode] = 3;
        }
        for (int opcode = 153; opcode <= 168; opcode++) {
            SIZES[opcode] = 3;
        }
        SIZES[185] = SIZES[186] = SIZES[200] = SIZES[201] = 5;
        SIZES[197] = 4;
    }
}
