package everypath.driver;

import java.util.List;

/** The calls that rewritten classes must not make, for JDKs without a security manager. */
final class Guards {
    private static final List<String> TOLD = List.of(
            "end the process",
            "start a process",
            "load a native library",
            "use a file",
            "open a connection");
    private static final List<String> SAFE_FILE_METHODS = List.of(
            "<init>", "getName", "getPath", "getParent", "getParentFile", "isAbsolute", "toString", "equals", "hashCode",
            "compareTo", "toPath", "toURI");

    private Guards() {}

    static String told(int what) {
        return TOLD.get(what);
    }

    /** What a call would do that is not allowed, as a number, or -1. */
    static int refused(String owner, String name) {
        switch (owner) {
            case "java/lang/System":
            case "java/lang/Runtime":
                if (name.equals("exit") || name.equals("halt")) {
                    return 0;
                }
                return name.equals("exec") ? 1 : name.startsWith("load") ? 2 : -1;
            case "java/lang/ProcessBuilder":
                return name.startsWith("start") ? 1 : -1;
            case "java/io/File":
                return SAFE_FILE_METHODS.contains(name) ? -1 : 3;
            case "java/io/FileInputStream":
            case "java/io/FileOutputStream":
            case "java/io/FileReader":
            case "java/io/FileWriter":
            case "java/io/RandomAccessFile":
            case "java/nio/file/Files":
            case "java/nio/channels/FileChannel":
            case "java/nio/channels/AsynchronousFileChannel":
                return 3;
            default:
                return connects(owner, name) ? 4 : -1;
        }
    }

    private static boolean connects(String owner, String name) {
        if (owner.startsWith("java/net/http/") || owner.startsWith("java/nio/channels/") && owner.contains("Socket")) {
            return true;
        }
        if (!owner.startsWith("java/net/")) {
            return false;
        }
        return owner.endsWith("Socket") || name.startsWith("open") || name.equals("connect")
                || owner.equals("java/net/InetAddress") && name.contains("ByName");
    }
}
