package features;
import java.util.*;
import java.util.function.*;
public class Features {
    enum Color { RED, GREEN { int code() { return 20; } }, BLUE; int weight = ordinal() * 3; int code() { return 1; } }
    record Point(int x, String name) {}
    sealed interface Shape permits Circle, Square {}
    record Circle(int r) implements Shape {}
    record Square(int s) implements Shape {}
    interface Greeter { String greet(String n); default String twice(String n) { return greet(greet(n)); } }
    static int enumSwitch(Color c) { switch (c) { case RED: return 1; case GREEN: return 2; default: return 3; } }
    static int enumCode(Color c) { return c.code() + c.weight; }
    static String enumName(Color c) { return c.name(); }
    static boolean pointEq(Point a, Point b) { return a.equals(b); }
    static String pointStr(Point a) { return a.toString(); }
    static int pointHash(int x) { return new Point(x, "a").hashCode(); }
    static int shape(Shape s) { if (s instanceof Circle c) return c.r(); if (s instanceof Square q) return -q.s(); return 0; }
    static int lambda(int a, int b) { IntBinaryOperator f = (x, y) -> x * 2 + y + a; return f.applyAsInt(a, b); }
    static int methodRef(String s) { Function<String,Integer> f = String::length; return f.apply(s); }
    static String greet(Greeter g, String n) { return g.twice(n); }
    static int strSwitch(String s) { switch (s) { case "one": return 1; case "two": return 2; default: return 0; } }
    static int fin(int a) { int r = 0; try { if (a > 5) throw new IllegalStateException("x"); r = 10 / a; } catch (ArithmeticException e) { r = -1; } finally { r += 100; } return r; }
    static int nested(int[][] g) { int s = 0; for (int[] row : g) for (int v : row) s += v; return s; }
    static int sum(List<Integer> xs) { int s = 0; for (int x : xs) s += x; return s; }
    static int vararg(int... xs) { return xs.length == 0 ? -1 : xs[0]; }
    class Inner { int v; int get() { return v + base; } }
    int base;
    int inner(int v) { Inner i = new Inner(); i.v = v; return i.get(); }
    static Integer box(Integer a, int b) { return a > b ? a : Integer.valueOf(b); }
    static <T extends Comparable<T>> T maxOf(T a, T b) { return a.compareTo(b) >= 0 ? a : b; }
    static String build(int n, char c) { StringBuilder sb = new StringBuilder(); for (int i = 0; i < n; i++) sb.append(c).append(i); return sb.toString(); }
    static long mix(long a, int s) { return (a << 3) ^ (a >>> 2) + s; }
    static char up(char c) { return c >= 'a' && c <= 'z' ? (char) (c - 32) : c; }
    static int mapUse(String k) { Map<String,Integer> m = new HashMap<>(); m.put("a", 1); m.put("b", 2); Integer v = m.get(k); return v == null ? -1 : v; }
    static int treeUse(int k) { TreeMap<Integer,String> m = new TreeMap<>(); m.put(k, "k"); m.put(5, "five"); return m.firstKey(); }
    static int[] sorted(int a, int b, int c) { int[] x = {a, b, c}; Arrays.sort(x); return x; }
    static int stream(int a) { return java.util.stream.IntStream.range(0, 3).map(i -> i * a).sum(); }
    static boolean dbl(double x) { return x * 2 > 3.5; }
    static float flt(float x) { return x / 3f; }
    static Object obj(Object o) { if (o instanceof Integer i) return i + 1; if (o instanceof String s) return s + "!"; return null; }
    static int stat = init(); static int init() { return 42; }
    static int useStat() { return stat++; }
    static void print(int a) { if (a > 0) System.out.println("pos " + a); }
    static int ternaryNest(boolean a, boolean b) { return a ? (b ? 1 : 2) : (b ? 3 : 4); }
    static boolean same(Integer a, Integer b) { return a == b; }
    static int opt(Optional<Integer> o) { return o.orElse(3); }
    static String fmt(int a) { return String.format("%d!", a); }
    static int sync(int[] a) { synchronized (a) { return a.length; } }
    static int labeled(int n) { int c = 0; outer: for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { if (i * j == n) break outer; c++; } } return c; }
    static int[][] grid(int n, int m) { return new int[n][m]; }
    static long[][][] partly(int n) { return new long[n][2][]; }
    static Integer[] ordered(Integer a, Integer b) { Integer[] both = {a, b}; Arrays.sort(both, Comparator.comparingInt(x -> -x)); return both; }
    static int serial(int a) { IntSupplier s = (IntSupplier & java.io.Serializable) () -> a; return s instanceof java.io.Serializable ? s.getAsInt() : -1; }
    static boolean signs(int a, int b) { int same = (a | 0) & -1; return ((same | b) & same) < 0; }
}
