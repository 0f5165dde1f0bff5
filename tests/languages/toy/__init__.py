"""A third language, small enough to be read in a minute: integers, loops, and objects with integer fields.

    class Account balance
    method Account take amount
      if amount > self.balance
        return 0 - 1
      self.balance = self.balance - amount
      return self.balance
    fn halves n
      k = 0
      while n > 1
        n = n / 2
        k = k + 1
      return k

Nothing outside this folder knows of it.
"""
