package everypath.driver;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Follows recipes with the classes of one loader; remembers which object came of which recipe. */
final class Making {
    private final Classes classes;
    private final Map<Recipe, Object> made = new IdentityHashMap<>();
    /** object -> its name in the case */
    final Map<Object, String> names = new IdentityHashMap<>();

    Making(Classes classes) {
        this.classes = classes;
    }

    Object[] all(List<Recipe> recipes) throws ReflectiveOperationException {
        Object[] found = new Object[recipes.size()];
        for (int i = 0; i < found.length; i++) {
            found[i] = make(recipes.get(i));
        }
        return found;
    }

    Object make(Recipe recipe) throws ReflectiveOperationException {
        if (recipe == null || recipe.how() == Recipe.How.PLAIN) {
            return recipe == null ? null : recipe.value();
        }
        Object known = made.get(recipe);
        if (known != null) {
            return known;
        }
        Object object = fresh(recipe);
        made.put(recipe, object);
        if (recipe.how() != Recipe.How.CONSTANT) {
            names.put(object, "o" + (names.size() + 1));
        }
        for (Recipe.Step step : recipe.steps()) {
            ((Method) classes.member(recipe.kind().name() + "#" + step.method())).invoke(object, all(step.arguments()));
        }
        return object;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Object fresh(Recipe recipe) throws ReflectiveOperationException {
        switch (recipe.how()) {
            case ARRAY:
                Object array = Array.newInstance(classes.find(recipe.kind().argument(0)), recipe.parts().size());
                for (int i = 0; i < recipe.parts().size(); i++) {
                    Array.set(array, i, make(recipe.parts().get(i)));
                }
                return array;
            case BUILDER:
                return classes.find(recipe.kind()).getConstructor(String.class).newInstance(recipe.value());
            case CONSTANT:
                return Enum.valueOf((Class) classes.find(recipe.kind()), recipe.text());
            case ITEMS:
                Collection items = (Collection) classes.find(recipe.kind()).getConstructor().newInstance();
                for (Recipe part : recipe.parts()) {
                    items.add(make(part));
                }
                return items;
            case ENTRIES:
                Map entries = (Map) classes.find(recipe.kind()).getConstructor().newInstance();
                for (int i = 0; i < recipe.parts().size(); i += 2) {
                    entries.put(make(recipe.parts().get(i)), make(recipe.parts().get(i + 1)));
                }
                return entries;
            default:
                Constructor<?> constructor = (Constructor<?>) classes.member(recipe.kind().name() + "#" + recipe.text());
                return constructor.newInstance(all(recipe.parts()));
        }
    }

    /** Runs a trial whose inputs are made. */
    static Object call(Classes classes, String method, Object receiver, Object[] arguments) throws Throwable {
        java.lang.reflect.Executable member = classes.member(method);
        try {
            if (member instanceof Constructor<?> constructor) {
                return constructor.newInstance(arguments);
            }
            return ((Method) member).invoke(receiver, arguments);
        } catch (InvocationTargetException problem) {
            throw problem.getCause();
        }
    }
}
