package contracts;

public class Account {
    private int balance;
    private int limit;
    //@ invariant balance >= 0 && limit > 0;

    /*@ requires amount > 0 && amount <= balance;
      @ ensures balance == \old(balance) - amount;
      @*/
    public int withdraw(int amount) {
        if (amount <= 0) {
            throw new IllegalArgumentException();
        }
        if (amount > balance) {
            throw new IllegalStateException();
        }
        balance -= amount;
        return balance;
    }

    //@ requires numbers != null && numbers.length > 0;
    //@ requires (\forall int i; 0 <= i && i < numbers.length; numbers[i] >= 0);
    public static int first(int[] numbers) {
        if (numbers[0] < 0) {
            return -1;
        }
        return numbers[0];
    }

    public static int divide(int a, int b) {
        return a / b;
    }

    //@ requires x >;
    public static int broken(int x) {
        return x;
    }
}
