package everypath.driver;

import java.util.ArrayList;
import java.util.List;

/**
 * How an input is made. It mentions classes by name only, so that it can be followed with the classes of any loader. One
 * that stands in two places makes one object, which is then in both.
 */
record Recipe(How how, Kind kind, String text, Object value, List<Recipe> parts, List<Step> steps) {
    /** What making it means. */
    enum How {
        /** null, a number, a character, a boolean or a string */
        PLAIN,
        ARRAY,
        /** a collection of the JDK with these elements */
        ITEMS,
        /** a map with keys and values in turn */
        ENTRIES,
        /** a StringBuilder or its like */
        BUILDER,
        /** a call of the constructor with the descriptor `text`, then of some methods */
        OBJECT,
        /** the constant of an enum called `text` */
        CONSTANT,
    }

    /** A call of a method, by name and descriptor, of an object that is made. */
    record Step(String method, List<Recipe> arguments) {}

    static Recipe plain(Kind kind, Object value) {
        return new Recipe(How.PLAIN, kind, "", value, List.of(), List.of());
    }

    static Recipe of(How how, Kind kind, List<Recipe> parts) {
        return new Recipe(how, kind, "", null, parts, List.of());
    }

    Recipe withParts(List<Recipe> changed) {
        return new Recipe(how, kind, text, value, changed, steps);
    }

    Recipe withSteps(List<Step> changed) {
        return new Recipe(how, kind, text, value, parts, changed);
    }

    Recipe withValue(Object changed) {
        return new Recipe(how, kind, text, changed, parts, steps);
    }

    /** How much there is to read in it. */
    int size() {
        int size = 1;
        if (value instanceof String string) {
            size += string.length();
        } else if (value instanceof Number number) {
            size += number.doubleValue() == 0 ? 0 : Math.abs(number.doubleValue()) < 10 ? 1 : 2;
        }
        for (Recipe part : parts) {
            size += part.size();
        }
        for (Step step : steps) {
            size += 2;
            for (Recipe argument : step.arguments) {
                size += argument.size();
            }
        }
        return size;
    }

    /** Simpler ones that may do as well. */
    List<Recipe> simpler() {
        List<Recipe> found = new ArrayList<>();
        if (value instanceof String string && !string.isEmpty()) {
            found.add(withValue(string.substring(0, string.length() / 2)));
            for (int i = 0; i < Math.min(string.length(), 12); i++) {
                found.add(withValue(string.substring(0, i) + string.substring(i + 1)));
            }
        } else if (value instanceof Integer number && (number > 9 || number < 0)) {
            found.add(withValue(number / 2));
            found.add(withValue(1));
        }
        boolean drops = how == How.ARRAY || how == How.ITEMS || how == How.ENTRIES;
        int width = how == How.ENTRIES ? 2 : 1;
        for (int i = 0; drops && i + width <= Math.min(parts.size(), 12); i += width) {
            List<Recipe> fewer = new ArrayList<>(parts);
            fewer.subList(i, i + width).clear();
            found.add(withParts(fewer));
        }
        for (int i = steps.size() - 1; i >= 0; i--) {
            List<Step> fewer = new ArrayList<>(steps);
            fewer.remove(i);
            found.add(withSteps(fewer));
        }
        for (int i = 0; i < Math.min(parts.size(), 8); i++) {
            for (Recipe simple : parts.get(i).simpler()) {
                List<Recipe> changed = new ArrayList<>(parts);
                changed.set(i, simple);
                found.add(withParts(changed));
            }
        }
        for (int i = 0; i < Math.min(steps.size(), 8); i++) {
            Step step = steps.get(i);
            for (int j = 0; j < step.arguments.size(); j++) {
                for (Recipe simple : step.arguments.get(j).simpler()) {
                    List<Recipe> arguments = new ArrayList<>(step.arguments);
                    arguments.set(j, simple);
                    List<Step> changed = new ArrayList<>(steps);
                    changed.set(i, new Step(step.method, arguments));
                    found.add(withSteps(changed));
                }
            }
        }
        return found;
    }
}
