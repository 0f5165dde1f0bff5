package java.util;

/** What a language and a country stand for; what texts mean does not depend on it here. */
public final class Locale implements Cloneable, java.io.Serializable {
    private static final long serialVersionUID = 1;
    public static final Locale ENGLISH = new Locale("en", "");
    public static final Locale FRENCH = new Locale("fr", "");
    public static final Locale GERMAN = new Locale("de", "");
    public static final Locale ITALIAN = new Locale("it", "");
    public static final Locale JAPANESE = new Locale("ja", "");
    public static final Locale US = new Locale("en", "US");
    public static final Locale UK = new Locale("en", "GB");
    public static final Locale CANADA = new Locale("en", "CA");
    public static final Locale FRANCE = new Locale("fr", "FR");
    public static final Locale GERMANY = new Locale("de", "DE");
    public static final Locale ITALY = new Locale("it", "IT");
    public static final Locale JAPAN = new Locale("ja", "JP");
    public static final Locale ROOT = new Locale("", "");
    private final String language;
    private final String country;

    public Locale(String language) {
        this(language, "");
    }

    public Locale(String language, String country) {
        if (language == null || country == null) {
            throw new NullPointerException();
        }
        this.language = language;
        this.country = country;
    }

    public static Locale getDefault() {
        return ENGLISH;
    }

    public String getLanguage() {
        return language;
    }

    public String getCountry() {
        return country;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Locale
                && language.equals(((Locale) other).language)
                && country.equals(((Locale) other).country);
    }

    @Override
    public int hashCode() {
        return language.hashCode();
    }

    @Override
    public String toString() {
        return country.isEmpty() ? language : language + "_" + country;
    }
}
