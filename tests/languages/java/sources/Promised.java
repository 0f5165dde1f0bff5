package contracts;

public class Promised {
    private int balance;
    //@ invariant balance >= 0;

    //@ ensures balance == start;
    public Promised(int start) {
        balance = start;
    }

    /*@ requires amount > 0;
      @ ensures balance == \old(balance) + amount && \result == balance;
      @*/
    public int deposit(int amount) {
        balance += amount;
        return balance;
    }

    /*@ ensures \result == \old(balance) - amount;
      @ signals (IllegalStateException e) amount > balance;
      @*/
    public int withdraw(int amount) {
        if (amount == 7) {
            throw new IllegalStateException("seven");
        }
        if (amount > balance) {
            throw new IllegalStateException("too much");
        }
        balance -= amount;
        return amount == 13 ? 0 : balance;
    }

    //@ signals (NullPointerException e) numbers == null;
    //@ ensures (\forall int i; 0 <= i && i < numbers.length; numbers[i] >= 0) ==> \result >= 0;
    public static int first(int[] numbers) {
        return numbers.length == 0 ? 0 : numbers[0];
    }

    //@ signals_only IllegalArgumentException;
    public static int only(int number) {
        if (number == 1) {
            throw new IllegalArgumentException();
        }
        if (number == 2) {
            throw new IllegalStateException();
        }
        return number;
    }

    public static int length(/*@ non_null @*/ String text, int more) {
        return text.length() + more;
    }

    //@ ensures \result.size() > 0;
    //@ ensures \reslt > 0;
    public static String wrong(String text) {
        return text;
    }
}
