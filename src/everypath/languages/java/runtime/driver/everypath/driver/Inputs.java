package everypath.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes up inputs at random, and changes those that there are. */
final class Inputs {
    private static final Kind INTEGER = new Kind("java.lang.Integer", List.of());
    private static final Kind STRING = new Kind("java.lang.String", List.of());
    /** what code that takes any object may look for */
    private static final List<Kind> ANYTHING = List.of(
            INTEGER, STRING, new Kind(Kind.ARRAY, List.of(new Kind("byte", List.of()))),
            new Kind(Kind.ARRAY, List.of(new Kind("char", List.of()))), new Kind("java.lang.Double", List.of()),
            new Kind("java.lang.Character", List.of()), new Kind("java.util.ArrayList", List.of()),
            new Kind(Kind.ARRAY, List.of(STRING)), new Kind(Kind.ARRAY, List.of(new Kind("int", List.of()))));
    private static final Kind LONG = new Kind("long", List.of());
    private static final Kind INT = new Kind("int", List.of());
    private static final int DEEPEST = 3;
    /** interface of the JDK -> what stands for it */
    private static final Map<String, String> STANDS = Map.ofEntries(
            Map.entry("java.util.Collection", "java.util.ArrayList"), Map.entry("java.util.List", "java.util.ArrayList"),
            Map.entry("java.lang.Iterable", "java.util.ArrayList"), Map.entry("java.util.Deque", "java.util.ArrayDeque"),
            Map.entry("java.util.Queue", "java.util.LinkedList"), Map.entry("java.util.Set", "java.util.HashSet"),
            Map.entry("java.util.Map", "java.util.HashMap"), Map.entry("java.util.SortedMap", "java.util.TreeMap"),
            Map.entry("java.util.NavigableMap", "java.util.TreeMap"), Map.entry("java.util.SortedSet", "java.util.TreeSet"),
            Map.entry("java.util.AbstractList", "java.util.ArrayList"), Map.entry("java.lang.CharSequence", "java.lang.String"),
            Map.entry("java.lang.Number", "java.lang.Integer"), Map.entry("java.util.NavigableSet", "java.util.TreeSet"));
    /** class of the JDK -> the type of the argument of the constructor that makes one */
    private static final Map<String, String> MADE_OF = Map.of(
            "java.util.Scanner", "java.lang.String", "java.util.Random", "long", "java.math.BigInteger", "digits",
            "java.math.BigDecimal", "digits", "java.util.concurrent.atomic.AtomicInteger", "int");
    private static final List<String> ITEMS = List.of(
            "ArrayList", "LinkedList", "ArrayDeque", "PriorityQueue", "Vector", "Stack", "HashSet", "LinkedHashSet", "TreeSet");
    private static final List<String> ENTRIES = List.of("HashMap", "LinkedHashMap", "TreeMap");
    private final Classes classes;
    private final List<String> own;
    private final Vocabulary words;
    private final Map<String, List<Way>> constructors = new HashMap<>();
    private final Map<String, List<Way>> methods = new HashMap<>();
    private final Map<String, List<String>> implementations = new HashMap<>();
    /** what type variables stand for at the moment */
    private int chosen;

    /** A constructor or method that inputs are made with; its kinds for each choice of type variables. */
    record Way(String signature, List<List<Kind>> parameters) {}

    Inputs(Classes classes, List<String> own, Vocabulary words) {
        this.classes = classes;
        this.own = own;
        this.words = words;
    }

    static Way way(Executable member) {
        List<List<Kind>> kinds = new ArrayList<>();
        java.lang.reflect.Type[] types = member.getGenericParameterTypes();
        if (types.length != member.getParameterCount()) {
            types = member.getParameterTypes();
        }
        for (Kind each : List.of(INTEGER, STRING)) {
            // Every variable, whatever it is called, stands for the same.
            Map<String, Kind> variables = new java.util.AbstractMap<>() {
                @Override
                public java.util.Set<Map.Entry<String, Kind>> entrySet() {
                    return java.util.Set.of();
                }

                @Override
                public Kind get(Object name) {
                    return each;
                }
            };
            List<Kind> found = new ArrayList<>();
            for (java.lang.reflect.Type type : types) {
                found.add(Kind.of(type, variables));
            }
            kinds.add(found);
        }
        return new Way(Classes.signature(member), kinds);
    }

    /** Decides what type variables stand for in the next trial. */
    void choose() {
        chosen = words.chance(0.25) ? 1 : 0;
    }

    List<Recipe> arguments(Way way, int depth) {
        List<Recipe> found = new ArrayList<>();
        for (Kind kind : way.parameters.get(chosen)) {
            // The same object, or an equal one, in two places is what some branches wait for.
            Recipe same = found.stream().filter(each -> each.kind().equals(kind)).findFirst().orElse(null);
            found.add(same != null && words.chance(0.12) ? same : make(kind, depth));
        }
        return found;
    }

    Recipe make(Kind kind, int depth) {
        Object plain = primitive(kind.name());
        if (plain != null) {
            return Recipe.plain(kind, plain);
        }
        if (words.chance(depth == 0 ? 0.06 : 0.03)) {
            return Recipe.plain(kind, null);
        }
        if (kind.isArray()) {
            return array(kind, depth);
        }
        return object(kind, depth);
    }

    private Object primitive(String name) {
        switch (name) {
            case "int": case "java.lang.Integer": return words.integer();
            case "long": case "java.lang.Long": return words.longInteger();
            case "short": case "java.lang.Short": return (short) words.integer();
            case "byte": case "java.lang.Byte": return (byte) words.integer();
            case "char": case "java.lang.Character": return words.character();
            case "boolean": case "java.lang.Boolean": return words.chance(0.5);
            case "float": case "java.lang.Float": return (float) words.number();
            case "double": case "java.lang.Double": return words.number();
            default: return null;
        }
    }

    private Recipe array(Kind kind, int depth) {
        Kind element = kind.argument(0);
        List<Recipe> parts = new ArrayList<>();
        int length = words.chance(0.1) ? words.below(14) : words.below(6);
        if (element.isArray()) {
            // Most code expects rows of the same length, much of it as many as there are columns.
            int width = words.chance(0.5) ? length : words.below(5);
            Kind cell = element.argument(0);
            for (int i = 0; i < length && depth < DEEPEST; i++) {
                parts.add(Recipe.of(Recipe.How.ARRAY, element, several(cell, words.chance(0.9) ? width : words.below(4), depth + 2)));
            }
        } else {
            parts = several(element, length, depth + 1);
        }
        return Recipe.of(Recipe.How.ARRAY, kind, parts);
    }

    /** Some values of a kind, often few different ones or in order. */
    private List<Recipe> several(Kind kind, int count, int depth) {
        List<Recipe> parts = new ArrayList<>();
        boolean small = words.chance(0.4);
        for (int i = 0; i < count; i++) {
            boolean binary = small && (kind.name().equals("int") || kind.equals(INTEGER));
            parts.add(binary ? Recipe.plain(kind, words.below(4)) : make(kind, depth));
        }
        if (words.chance(0.4)) {
            sort(parts);
        }
        return parts;
    }

    @SuppressWarnings("unchecked")
    private static void sort(List<Recipe> parts) {
        if (parts.stream().allMatch(each -> each.value() instanceof Comparable)) {
            try {
                parts.sort(Comparator.comparing(each -> (Comparable<Object>) each.value()));
            } catch (ClassCastException different) {
                return;
            }
        }
    }

    private Recipe object(Kind kind, int depth) {
        String name = STANDS.getOrDefault(kind.name(), kind.name());
        if (kind.name().equals("java.lang.CharSequence") && words.chance(0.3)) {
            return object(new Kind("java.lang.StringBuilder", List.of()), depth);
        }
        if (name.equals("java.lang.Object") || name.equals("java.io.Serializable")) {
            boolean usual = depth > 0 || words.chance(0.5);
            return make(usual ? chosen == 0 ? INTEGER : STRING : ANYTHING.get(words.below(ANYTHING.size())), depth);
        }
        if (name.equals("java.lang.Comparable")) {
            return make(kind.arguments().isEmpty() ? INTEGER : kind.argument(0), depth);
        }
        if (name.equals("java.lang.String")) {
            return Recipe.plain(STRING, words.text());
        }
        if (primitive(name) != null) {
            return Recipe.plain(new Kind(name, List.of()), primitive(name));
        }
        Kind known = new Kind(name, kind.arguments());
        if (name.equals("java.lang.StringBuilder") || name.equals("java.lang.StringBuffer")) {
            return new Recipe(Recipe.How.BUILDER, known, "", words.text(), List.of(), List.of());
        }
        String simple = name.startsWith("java.util.") ? name.substring(10) : "";
        int count = words.chance(0.1) ? words.below(12) : words.below(5);
        if (ITEMS.contains(simple)) {
            return Recipe.of(Recipe.How.ITEMS, known, several(kind.argument(0), depth > DEEPEST ? 0 : count, depth + 1));
        }
        if (ENTRIES.contains(simple)) {
            List<Recipe> parts = new ArrayList<>();
            for (int i = 0; i < count && depth <= DEEPEST; i++) {
                parts.add(make(kind.argument(0), depth + 1));
                parts.add(make(kind.argument(1), depth + 1));
            }
            return Recipe.of(Recipe.How.ENTRIES, known, parts);
        }
        return MADE_OF.containsKey(name) ? library(known) : owned(known, depth);
    }

    private Recipe library(Kind kind) {
        String of = MADE_OF.get(kind.name());
        Recipe argument = of.equals("digits") ? Recipe.plain(STRING, Integer.toString(words.integer()))
                : of.equals("long") ? Recipe.plain(LONG, (long) words.below(100))
                : of.equals("int") ? Recipe.plain(INT, words.integer()) : Recipe.plain(STRING, words.text());
        return new Recipe(Recipe.How.OBJECT, kind, "<init>(" + argument.kind().descriptor().replace('.', '/') + ")V", null,
                List.of(argument), List.of());
    }

    /** An object of the program: a constructor, and some calls; null where nothing makes one. */
    private Recipe owned(Kind kind, int depth) {
        List<String> names = implementations.computeIfAbsent(kind.name(), this::implementations);
        if (names.isEmpty() || depth > DEEPEST) {
            return Recipe.plain(kind, null);
        }
        String name = names.get(words.below(names.size()));
        Kind known = new Kind(name, kind.arguments());
        try {
            Class<?> cls = classes.find(name);
            if (cls.isEnum()) {
                Object[] constants = cls.getEnumConstants();
                String constant = ((Enum<?>) constants[words.below(constants.length)]).name();
                return new Recipe(Recipe.How.CONSTANT, known, constant, null, List.of(), List.of());
            }
        } catch (ReflectiveOperationException | LinkageError problem) {
            return Recipe.plain(kind, null);
        }
        List<Way> ways = constructors.get(name);
        Way way = ways.get(words.below(ways.size()));
        Recipe made = new Recipe(Recipe.How.OBJECT, known, way.signature, null, arguments(way, depth + 1), List.of());
        int count = words.chance(0.3) ? 0 : words.below(depth == 0 ? 9 : 3);
        List<Recipe.Step> steps = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Recipe.Step step = step(name, depth + 1);
            if (step != null) {
                steps.add(step);
            }
        }
        return made.withSteps(steps);
    }

    private Recipe.Step step(String name, int depth) {
        List<Way> ways = methods.get(name);
        if (ways == null || ways.isEmpty()) {
            return null;
        }
        Way way = ways.get(words.below(ways.size()));
        return new Recipe.Step(way.signature, arguments(way, depth));
    }

    /** The classes of the program whose objects are of a type and can be made. */
    private List<String> implementations(String name) {
        List<String> found = new ArrayList<>();
        try {
            Class<?> type = classes.find(name);
            for (String each : Classes.isOwn(type) || own.contains(name) ? own : List.<String>of()) {
                Class<?> cls = classes.find(each);
                if (!type.isAssignableFrom(cls) || !Classes.isNamed(cls)) {
                    continue;
                }
                List<Way> ways = new ArrayList<>();
                for (Constructor<?> constructor : Classes.constructors(cls)) {
                    ways.add(way(constructor));
                }
                if (!ways.isEmpty() || cls.isEnum() && !Modifier.isAbstract(cls.getModifiers())) {
                    constructors.put(each, ways);
                    List<Way> calls = new ArrayList<>();
                    for (Method method : Classes.methods(cls)) {
                        calls.add(way(method));
                    }
                    methods.put(each, calls);
                    found.add(each);
                }
            }
        } catch (ReflectiveOperationException | LinkageError problem) {
            return found;
        }
        return found;
    }

    /** A recipe that differs a little. */
    Recipe changed(Recipe recipe) {
        int inside = recipe.parts().size() + recipe.steps().size();
        if (inside > 0 && words.chance(0.65)) {
            int at = words.below(inside);
            if (at < recipe.parts().size()) {
                List<Recipe> parts = new ArrayList<>(recipe.parts());
                parts.set(at, changed(parts.get(at)));
                return recipe.withParts(parts);
            }
            List<Recipe.Step> steps = new ArrayList<>(recipe.steps());
            Recipe.Step step = steps.get(at - recipe.parts().size());
            if (!step.arguments().isEmpty()) {
                List<Recipe> arguments = new ArrayList<>(step.arguments());
                int number = words.below(arguments.size());
                arguments.set(number, changed(arguments.get(number)));
                steps.set(at - recipe.parts().size(), new Recipe.Step(step.method(), arguments));
                return recipe.withSteps(steps);
            }
        }
        switch (recipe.how()) {
            case PLAIN:
                return recipe.value() instanceof String text ? recipe.withValue(words.changed(text)) : number(recipe);
            case BUILDER:
                return recipe.withValue(words.changed((String) recipe.value()));
            case ARRAY:
            case ITEMS:
                return rearranged(recipe);
            case OBJECT:
                return stepped(recipe);
            default:
                return make(recipe.kind(), 1);
        }
    }

    private Recipe number(Recipe recipe) {
        if (recipe.value() instanceof Integer number && words.chance(0.5)) {
            return recipe.withValue(words.chance(0.3) ? -number : number + words.below(5) - 2);
        }
        return make(recipe.kind(), 1);
    }

    private Recipe rearranged(Recipe recipe) {
        List<Recipe> parts = new ArrayList<>(recipe.parts());
        Kind element = recipe.kind().argument(0);
        int at = parts.isEmpty() ? 0 : words.below(parts.size());
        switch (parts.isEmpty() ? 0 : words.below(5)) {
            case 0:
                parts.add(at, make(element, 2));
                break;
            case 1:
                parts.remove(at);
                break;
            case 2:
                parts.set(at, parts.get(words.below(parts.size())));
                break;
            case 3:
                sort(parts);
                break;
            default:
                java.util.Collections.swap(parts, at, words.below(parts.size()));
        }
        return recipe.withParts(parts);
    }

    private Recipe stepped(Recipe recipe) {
        List<Recipe.Step> steps = new ArrayList<>(recipe.steps());
        if (!steps.isEmpty() && words.chance(0.3)) {
            steps.remove(words.below(steps.size()));
            return recipe.withSteps(steps);
        }
        Recipe.Step step = step(recipe.kind().name(), 1);
        if (step == null || steps.size() > 20) {
            return MADE_OF.containsKey(recipe.kind().name()) ? library(recipe.kind()) : owned(recipe.kind(), 0);
        }
        steps.add(words.below(steps.size() + 1), step);
        return recipe.withSteps(steps);
    }
}
