"""Calls what a module offers, again and again, and keeps the calls that reach something new.

The process that searches runs no call itself: it makes a batch of candidates, and a fork of it, in which the module is
as its import left it, runs them one after the other and tells what each has reached. So nothing that a call does to
the module, or to the process, is left for the next batch. A candidate that ends its fork is left out, and the others
are run again.

Candidates are made from types and words (`inputs.py`), or are variations of those that reached something before. What
the next one is about is drawn by how much is missing there.
"""

from __future__ import annotations

import inspect
import re
import types
from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

from everypath.languages.python.probing.asking import tests_in
from everypath.languages.python.probing.clock import Clock
from everypath.languages.python.probing.coverage import Coverage, Reached, is_sought
from everypath.languages.python.probing.examples import practice_of, shown_calls, subject_of
from everypath.languages.python.probing.expressions import (
    Block,
    Call,
    Expr,
    Method,
    around,
    children,
    from_data,
    hoisted,
    inside,
    resolve,
    size,
    to_data,
    within,
)
from everypath.languages.python.probing.granting import granted
from everypath.languages.python.probing.kinds import kinds_for
from everypath.languages.python.probing.offers import Offer, Offers, candidate
from everypath.languages.python.probing.outside import OWN
from everypath.languages.python.probing.preparing import Preparing
from everypath.languages.python.probing.running import ENDLESS, TOO_LONG, Forks, Guard, Ran
from everypath.languages.python.probing.signatures import Parameter
from everypath.languages.python.probing.statements import Reruns, can_be_run, decided_lines, plain_run
from everypath.languages.python.probing.varying import Maker
from everypath.languages.python.probing.vocabulary import Vocabulary, Words, related_words
from everypath.languages.python.scripts.rerunning import MAIN, SCRIPT
from everypath.records import dataclass

_BATCH = 60
_PATIENCE = 4_000
"""Calls without anything new after which a search ends, and some more for each offer."""
_LARGEST = 80
_REFRESHED = 1_200
"""Calls without anything new after which wishes count anew."""
_MOST_SLOW = 3
_CALLS_FOR_SLOW = 40
"""Calls that come to an end for one more that may take too long."""
_LEAST_COST = 100
"""What a call costs that enters next to no function."""
_MOST_USES = 6
_DEEPEST_USE = 4
_MOST_GRANTED = 6
"""How often the same is wished with effect."""
_OF_DOUBTFUL = 3
DEADLY = "end the process"
LEAVES_THREAD = "leave a thread running"
_DEADLY = (TOO_LONG, DEADLY)
_DETAILS = re.compile(r" (?=\(|b?['\"])")
"""After what is refused: which file, which address."""


@dataclass(slots=True)
class Found:
    """A candidate that reached something."""

    expr: Expr
    about: int
    """which offer"""
    reached: Reached
    weak: bool
    how: str
    status: str


class Search:
    """A search for calls of one module that reach its lines and branches."""

    def __init__(self, request: dict[str, Any], module: types.ModuleType, guard: Guard) -> None:
        source = request["source"]
        self._chance = Random(request["seed"])
        self._module = module
        self._coverage = Coverage(source, request["file"], request["reached"])
        self._coverage.restrict(request["members"], request["left_out"])
        self._coverage.settle(request["settled"])
        self._vocabulary = Vocabulary(source, module)
        self._tests = tests_in(self._vocabulary.tree)
        self._coverage.watched = self._tests.watched()
        self._coverage.answering = self._tests.answering
        self._forks = Forks(self._coverage, self._tests, guard)
        self._granted = Counter[Any]()
        self._uses_tried = Counter[tuple[int, str]]()
        self._asked: dict[tuple[int, int, int], Words] = {}
        self._offers = Offers(module, self._vocabulary.tree, request["guesses"])
        offers = self._offers.all
        members = request["members"]
        offers = [each for each in offers if is_sought(each.qualname, members, request["left_out"])]
        shy = [each for each in offers if each.private and not request["private"] and each.qualname not in members]
        self.offers = [each for each in offers if each not in shy]
        self._reruns = Reruns(module, self._vocabulary.tree)
        self._shy = shy
        """private ones, which are called when calls of the others reach nothing new"""
        self._maker = Maker(self._chance, module, self._vocabulary.all, self._offers.parameters)
        self._maker.related = related_words(module)
        self._maker.kinds = kinds_for(self._vocabulary.tree)
        self._preparing = Preparing(self._maker, module, self._vocabulary.tree)
        self._corpus: list[Found] = []
        self._weak: dict[Any, Found] = {}
        self._follow = deque[tuple[int, Expr]]()
        self._gains = Counter[int]()
        self._tried = Counter[int]()
        self._dead = set[Expr]()
        self._since_gain = 0
        self._ran = Counter[int]()
        """offer -> how many calls of it came to an end"""
        self._slow = Counter[int]()
        """offer -> how often it took too long or ended its process"""
        self._refused: dict[tuple[int, str], tuple[str, int]] = {}
        """offer and kind of what was refused -> what exactly at first, and in which line"""
        self.calls = 0
        self._clock = Clock(request, _PATIENCE + 100 * len(self.offers))
        self.offers += self._rerun(module, request)
        self._practice = practice_of(module)
        self._near = [self._words_of(each) for each in self.offers]
        self._seeds = [from_data(each) for each in request["seeds"]]
        self._known = [(name, kind, from_data(data)) for name, kind, data in request["known"]]
        """calls that were found before, and made tests"""
        self._dead.update(from_data(data) for data in request["dropped"])
        self._doubtful = Counter({tuple(e) if isinstance(e, list) else e: _OF_DOUBTFUL for e in request["doubtful"]})
        """what only calls reached that made no tests: several are wanted for each now"""

    def _rerun(self, module: types.ModuleType, request: dict[str, Any]) -> Iterator[Offer]:
        """To run the module itself, if its import leaves something out and it can be run once more."""
        left_out = self._coverage.of_import
        if left_out and can_be_run(module) and not request["members"] and not request["left_out"]:
            [ran, *_] = [*self._forks.run([plain_run(module)], self._clock.end)[0], Ran(status="refused")]
            if ran.status == "returned":
                self._coverage.note(ran.reached & left_out)
                lines = decided_lines(self._vocabulary.tree)
                yield Offer(MAIN, SCRIPT, None, None, min(lines), max(lines), lines=lines)
                return
        self._coverage.note(left_out)

    def run(self, tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Search until everything is reached, nothing new comes any more, or the time is over; tell what is found."""
        clock = self._clock
        self._follow += self._first()
        while (self.offers or self._offer_private()) and self._coverage.wanted and not clock.over:
            if self._all_hopeless() and not self._offer_private():
                break
            batch = self._batch()
            results = self._run(batch)
            gained = self._take(batch, results, tell)
            self._follow.extendleft(each for each in reversed(batch[len(results) :]) if not self._slow[each[0]])
            clock.ran(len(results), bool(gained))
            self._refresh(bool(gained), len(results))
            self._maker.is_late = clock.late
            if (clock.stalled or clock.late) and self._offer_private():
                clock.ran(0, True)
            elif clock.stalled:
                break
        told = set[Any]()
        for thing, found in self._weak.items():
            if thing in self._coverage.wanted and id(found) not in told:
                told.add(id(found))
                self._tell(found, tell)
        self._coverage.note(self._weak)
        return {
            "calls": self.calls,
            "wanted": len(self._coverage.wanted),
            "total": self._coverage.total,
            "stopped": ("time" if clock.over else "nothing new") if self._coverage.wanted else "all reached",
            "refused": self._untested(),
            "missing": [thing if isinstance(thing, int) else list(thing) for thing in self._coverage.wanted],
        }

    def _untested(self) -> list[tuple[str, str, int]]:
        """What calls were refused or did to their process, function by function, if something of these is missing."""
        missing = {thing if isinstance(thing, int) else thing[0] for thing in self._coverage.wanted}
        found = []
        for (about, kind), (what, line) in self._refused.items():
            offer = self.offers[about]
            lacks = any(offer.holds(each) for each in missing)
            # A few inputs that take long say more about these inputs.
            if kind == LEAVES_THREAD or (lacks and (kind not in _DEADLY or self._slow[about] >= _MOST_SLOW)):
                found.append((offer.qualname, what, line or offer.first))
        return found

    def _refresh(self, gained: bool, calls: int) -> None:
        """After many calls without anything new, what was wished before is granted once more, in other company."""
        self._since_gain = 0 if gained else self._since_gain + calls
        if self._since_gain > _REFRESHED:
            self._since_gain = 0
            self._granted.clear()
            self._uses_tried.clear()
            self._preparing.forget()
            self._follow += [(each.about, each.expr) for each in self._corpus[-_BATCH:]]

    def _offer_private(self) -> bool:
        """From now on call private functions in which something is missing; whether there are any."""
        missing = {thing if isinstance(thing, int) else thing[0] for thing in self._coverage.wanted}
        missing -= {thing if isinstance(thing, int) else thing[0] for thing in self._weak}
        more = [each for each in self._shy if any(each.holds(line) for line in missing)]
        self._shy = []
        first = len(self.offers)
        self.offers += more
        self._near += [self._words_of(each) for each in more]
        for number in range(first, len(self.offers)):
            self._follow += [(number, self._fresh(number)) for _ in range(4)]
        return bool(more)

    # Candidates

    def _first(self) -> list[tuple[int, Expr]]:
        """Calls that the module itself shows, and that were found before, then a few of everything."""
        if self._known:
            self._offer_private()
        by_name = {each.qualname: number for number, each in enumerate(self.offers)}
        first: list[tuple[int, Expr]] = []
        shown = (*shown_calls(self._module, self._vocabulary.tree), *self._practice.calls)
        for expr in [*self._seeds, *dict.fromkeys(shown)]:
            about = subject_of(expr, self._module.__name__, by_name)
            if about is not None:
                first.append((about, expr))
                self._corpus.append(Found(expr, about, frozenset(), False, "", "returned"))
                self._remember(about, expr)
            elif isinstance(expr, Call) and isinstance(made := resolve(expr.module, expr.name), type):
                self._maker.note_way(made, expr)
        by_kind = {(each.qualname, each.kind): number for number, each in enumerate(self.offers)}
        for name, kind, expr in self._known:
            if (name, kind) in by_kind:
                first.append((by_kind[name, kind], expr))
                self._corpus.append(Found(expr, by_kind[name, kind], frozenset(), False, "", "returned"))
        for number in range(len(self.offers)):
            first += [(number, self._fresh(number)) for _ in range(4)]
        return first

    def _words_of(self, offer: Offer) -> Words:
        """The words of a function, and of its tests."""
        words = self._vocabulary.within(offer.first, offer.last)
        words.update(self._practice.words.get(offer.name, Words()))
        return words

    def _fresh(self, number: int) -> Expr:
        self._attend(number)
        offer = self.offers[number]
        if offer.kind == SCRIPT:
            return self._preparing.surrounded(offer, self._reruns.run(self._chance))
        return self._preparing.surrounded(offer, candidate(offer, self._maker, self.offers))

    def _attend(self, number: int) -> None:
        """Let inputs be made from the words of this offer, and of conditions that were not passed."""
        maker, offer = self._maker, self.offers[number]
        maker.near = self._near[number]
        key = number, self._coverage.version, self._vocabulary.learnt
        if key not in self._asked:
            if len(self._asked) > 2 * len(self.offers):
                self._asked.clear()
            lines = {thing[0] for thing in self._coverage.wanted if isinstance(thing, tuple)}
            own = [line for line in lines if offer.holds(line)]
            self._asked[key] = self._vocabulary.asked(own or lines)
        maker.asked = self._asked[key]

    def _batch(self) -> list[tuple[int, Expr]]:
        batch: list[tuple[int, Expr]] = []
        while self._follow and len(batch) < _BATCH:
            about, expr = self._follow.popleft()
            # What was wished may be what ends a call that takes too long; one at a time, because the next may, too.
            if (not self._is_hopeless(about) or not batch) and self._maker.may_be_made(expr):
                batch.append((about, expr))
        weights = self._weights()
        while len(batch) < _BATCH:
            number = self._chance.choices(range(len(self.offers)), weights)[0]
            mine = [each for each in self._corpus if each.about == number]
            if mine and self.offers[number].kind != SCRIPT and self._chance.random() < 0.6:
                self._attend(number)
                expr = self._chance.choice(mine[-12:]).expr
                for _ in range(self._chance.choice((1, 1, 2, 3))):
                    expr = self._maker.varied(expr)
            else:
                expr = self._fresh(number)
            self._tried[number] += 1
            if size(expr) <= _LARGEST and expr not in self._dead and self._maker.may_be_made(expr):
                batch.append((number, expr))
        return [(number, hoisted(expr)) for number, expr in batch]

    def _weights(self) -> list[float]:
        """How much is missing in an offer itself, how often it has led to something, and a little for every other."""
        wanted = self._coverage.wanted
        missing = Counter(thing if isinstance(thing, int) else thing[0] for thing in wanted)
        weights = []
        for number, offer in enumerate(self.offers):
            own = sum(count for line, count in missing.items() if offer.holds(line))
            tried = self._tried[number]
            if self._is_hopeless(number):
                weights.append(0.001)
                continue
            if offer.kind == SCRIPT:
                # There are few ways to run a module.
                weights.append(min(own, 10) / (1 + tried / 10))
                continue
            weights.append(0.3 + min(own, 10) / (1 + tried / 400) + 3 * self._gains[number] / (1 + tried / 60))
        return weights

    def _all_hopeless(self) -> bool:
        return not self._follow and all(map(self._is_hopeless, range(len(self.offers))))

    def _is_hopeless(self, number: int) -> bool:
        """Whether calls of an offer take too long, or end their process, and lead to nothing."""
        if self.offers[number].kind == SCRIPT:
            # One that serves or waits does so in most of its runs.
            return self._slow[number] > 0
        return self._slow[number] >= _MOST_SLOW + self._gains[number] + self._ran[number] // _CALLS_FOR_SLOW

    # Runs

    def _run(self, batch: list[tuple[int, Expr]]) -> list[Ran]:
        """The candidates in a fork, as far as it comes: what ends the fork, or takes too long, ends the batch."""
        results, ended = self._forks.run([expr for _, expr in batch], self._clock.end)
        if (not ended or not results) and len(results) < len(batch) and not self._clock.over:
            results.append(Ran(status="refused", error=DEADLY))
        self.calls += len(results)
        return results

    # Results

    def _take(self, batch: list[tuple[int, Expr]], results: list[Ran], tell: Callable[[dict[str, Any]], None]) -> int:
        gained = 0
        for (about, expr), ran in zip(batch, results):
            name, refused = self.offers[about].qualname, ran.status == "refused"
            if ran.asks and size(expr) <= _LARGEST:
                self._attend(about)
                self._follow += [(about, each) for each in self._preparing.more(self.offers[about], expr, ran.asks)]
            better = ran.error != "guessed" and not self._coverage.wanted.isdisjoint(ran.reached)
            self._preparing.note(name, expr, ran.asks, refused, better)
            made = {(each.module, each.name) for each in inside(expr) if isinstance(each, Call)}
            self._maker.worth.note(made, _LEAST_COST + ran.cost, better)
            if ran.leaves:
                self._refused.setdefault((about, ran.leaves), (ran.leaves, 0))
            if ran.error == ENDLESS:
                self._grant(about, expr, ran)
                continue
            if ran.status == "refused":
                self._note_refused(about, expr, ran)
                continue
            self._ran[about] += 1
            new = ran.reached & self._coverage.wanted
            weak = ran.error == "guessed"
            further = ran.status != "unmade" and bool(new - self._weak.keys() if weak else new)
            self._grant(about, expr, ran, further)
            self._maker.note_made(expr, ran.broken, ran.acted)
            if ran.status == "unmade":
                continue
            self._follow_up(about, expr, ran)
            if not new:
                continue
            found = Found(expr, about, new, weak, ran.uses.get("how", ""), ran.status)
            if weak:
                gained += self._keep_weak(found)
                continue
            gained += 1
            self._remember(about, expr)
            self._gains[about] += 1
            self._corpus.append(found)
            self._coverage.note([thing for thing in new if self._doubtful[thing] <= 1])
            self._doubtful.subtract(new & self._doubtful.keys())
            self._tell(found, tell)
        return gained

    def _note_refused(self, about: int, expr: Expr, ran: Ran) -> None:
        """A call has tried something that is not allowed, or took too long."""
        if not ran.acted:
            self._maker.note_made(expr, ran.broken, ran.acted)
        self._refused.setdefault((about, _DETAILS.split(ran.error)[0]), (ran.error, ran.line))
        if ran.error == TOO_LONG:
            # Perhaps what takes long can be replaced; if that is all that keeps the call from counting, at once.
            close = self._slow[about] < _MOST_SLOW and not self._coverage.wanted.isdisjoint(ran.reached)
            self._grant(about, expr, ran, close)
        if ran.error in _DEADLY:
            self._dead.add(expr)
            self._slow[about] += 1

    def _keep_weak(self, found: Found) -> int:
        """Kept, but what it reached stays wanted: perhaps a call with better inputs gets there, too."""
        new = [thing for thing in found.reached if thing not in self._weak]
        for thing in new:
            self._weak[thing] = found
            self._corpus.append(found)
        return len(new)

    def _remember(self, about: int, expr: Expr) -> None:
        """Arguments that led to something are tried again, also for others."""
        _, call = within(expr)
        parameters = self.offers[about].parameters
        if isinstance(call, (Call, Method)) and parameters:
            self._maker.remember(parameters, call.arguments, call.keywords)

    def _tell(self, found: Found, tell: Callable[[dict[str, Any]], None]) -> None:
        offer = self.offers[found.about]
        self._clock.found += 1
        tell(
            {
                "found": to_data(found.expr),
                "qualname": offer.qualname,
                "kind": offer.kind,
                "line": offer.first,
                "private": offer.private,
                "how": found.how,
                "weak": found.weak,
                "reached": [list(each) if isinstance(each, tuple) else each for each in found.reached],
                "status": found.status,
            }
        )

    def _follow_up(self, about: int, expr: Expr, ran: Ran) -> None:
        """Try what can be done with a result, and remember how objects are made."""
        uses = ran.uses
        if ran.status != "returned" or not uses:
            return
        made = uses.get("class")
        if made is not None:
            cls = next((each.owner for each in self.offers if each.owner and each.owner.__qualname__ == made), None)
            if cls is not None:
                self._maker.note_way(cls, expr)
        for use in uses.get("uses", ()):
            key = (about, str(use))
            if self._uses_tried[key] >= _MOST_USES or _depth(expr) > _DEEPEST_USE:
                continue
            self._uses_tried[key] += 1
            self._follow += [(about, each) for each in self._used(about, expr, use)]

    def _used(self, about: int, expr: Expr, use: Any) -> Iterator[Expr]:
        """Calls that do something with what a call gave."""
        if use == "with":
            yield around(expr, Block)
            yield around(expr, lambda e: Block(e, fails=True))
            return
        name, told = use
        self._attend(about)
        parameters = [Parameter(n, inspect._ParameterKind(kind), None, optional) for n, kind, optional in told]
        for _ in range(4 if name == "__call__" else 2):
            yield around(expr, partial(self._called, name, parameters))

    def _called(self, name: str, parameters: list[Parameter], expr: Expr) -> Expr:
        return Method(expr, name, *self._maker.arguments(parameters))

    def _grant(self, about: int, expr: Expr, ran: Ran, gained: bool = False) -> None:
        """Try what a run wishes, each wish a few times: the wish may be beside the point.

        What a call wishes that has come further than any before is tried next, however often it was wished.
        """
        if size(expr) > _LARGEST:
            return
        self._attend(about)
        found: list[tuple[int, Expr]] = []
        for wish in ran.wishes:
            line, _, path, kind, *details = wish
            if kind == "word":
                self._vocabulary.learn(line, details[0])
                continue
            if OWN in details and not self._maker.is_late and ran.error != TOO_LONG:
                continue
            key = (line, path, kind, *details)
            if self._granted[key] >= _MOST_GRANTED and not gained:
                continue
            self._granted[key] += 1
            found += [(about, changed) for changed in granted(wish, expr, self._maker) if changed not in self._dead]
        if gained:
            self._follow.extendleft(reversed(found))
        else:
            self._follow += found


def _depth(expr: Expr) -> int:
    return 1 + max(map(_depth, children(expr)), default=0)
