package papers;

/** What copies arrays; the summary beside it says what it does, as if it were native code. */
final class NativeArrays {
    private NativeArrays() {}

    static void arrayCopy(Object[] source, Object[] target, int length) {
        System.arraycopy(source, 0, target, 0, length);
    }
}
