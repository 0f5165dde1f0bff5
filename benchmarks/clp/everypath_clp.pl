% The engine of the papers in constraint logic programming, as the yardstick for ours.
%
% A program is a set of rules, one per basic block and way out of it (section 3.2 of "Test Case
% Generation by Symbolic Execution"); the heap is a list with an open end, and an object is put there
% when a reference to it is first followed (section 3.4); derive/4 is the interpreter that bounds loops.
%
%   swipl -O everypath_clp.pl -- PROGRAM LOOPS [lazy|noalias] [REPEAT]
%
% prints one JSON object: program, loops, heap, repeat, and, summed over the repetitions, cases, cuts,
% steps and seconds of process CPU time. A step is one goal taken by derive/4.

:- use_module(library(clpfd)).
:- use_module(library(main)).
:- use_module(library(aggregate)).
:- initialization(main, main).

:- op(1150, xfx, ==>).
:- discontiguous rule/3.

% `Head ==> Goals` becomes rule(Head, List, Tail), a difference list, so that taking a rule costs the
% same whatever is still to be done. Goals that are neither operations nor constraints are blocks.

term_expansion((Head ==> Goals), rule(Head, List, Tail)) :-
    body(Goals, List, Tail).

body((Goal, Goals), [Wrapped|List], Tail) :- !,
    wrapped(Goal, Wrapped),
    body(Goals, List, Tail).
body(done, Tail, Tail) :- !.
body(Goal, [Wrapped|Tail], Tail) :-
    wrapped(Goal, Wrapped).

wrapped(Goal, Goal) :- operation(Goal), !.
wrapped(Goal, block(Goal)).

operation(get_field(_, _, _, _)).
operation(set_field(_, _, _, _, _)).
operation(new_object(_, _, _, _)).
operation(enter(_)).
operation(iterate(_)).
operation(_ #= _).
operation(_ #\= _).
operation(_ #< _).
operation(_ #=< _).
operation(_ #> _).
operation(_ #>= _).

% ---- Interpreter -------------------------------------------------------------------------------
% Counts holds Loop-Iterations for the loops entered so far; Run = run(Bound, HeapMode, Steps, Cuts,
% Objects) is shared by all derivations and its last three arguments survive backtracking.

derive([], _, _).
derive([Goal|Rest], Counts, Run) :-
    increment(3, Run),
    step(Goal, Rest, Counts, Run).

step(block(Head), Rest, Counts, Run) :-
    rule(Head, Goals, Rest),
    derive(Goals, Counts, Run).
step(get_field(Heap, Ref, Field, Value), Rest, Counts, Run) :-
    arg(2, Run, Mode),
    field(Field, Object, Value),
    cell(Heap, Ref, Mode, Object),
    derive(Rest, Counts, Run).
step(set_field(Heap0, Ref, Field, Value, Heap), Rest, Counts, Run) :-
    arg(2, Run, Mode),
    update(Field, Old, Value, New),
    cell(Heap0, Ref, Mode, Old),
    replace(Heap0, Ref, New, Heap),
    derive(Rest, Counts, Run).
step(new_object(Heap, Class, Ref, [cell(Ref, Object)|Heap]), Rest, Counts, Run) :-
    increment(5, Run),
    arg(5, Run, Ref),
    initial(Class, Object),
    derive(Rest, Counts, Run).
step(enter(Loop), Rest, Counts, Run) :-
    started(Counts, Loop, Counts1),
    derive(Rest, Counts1, Run).
step(iterate(Loop), Rest, Counts, Run) :-
    arg(1, Run, Bound),
    counted(Counts, Loop, Count, Counts1),
    (   Count > Bound
    ->  increment(4, Run),
        fail
    ;   derive(Rest, Counts1, Run)
    ).
step(A #= B, Rest, Counts, Run) :- A #= B, derive(Rest, Counts, Run).
step(A #\= B, Rest, Counts, Run) :- A #\= B, derive(Rest, Counts, Run).
step(A #< B, Rest, Counts, Run) :- A #< B, derive(Rest, Counts, Run).
step(A #=< B, Rest, Counts, Run) :- A #=< B, derive(Rest, Counts, Run).
step(A #> B, Rest, Counts, Run) :- A #> B, derive(Rest, Counts, Run).
step(A #>= B, Rest, Counts, Run) :- A #>= B, derive(Rest, Counts, Run).

increment(Place, Run) :-
    arg(Place, Run, Before),
    After is Before + 1,
    nb_setarg(Place, Run, After).

started([], Loop, [Loop-0]).
started([Other-Count|Counts], Loop, Result) :-
    (   Other == Loop
    ->  Result = [Loop-0|Counts]
    ;   Result = [Other-Count|Result1],
        started(Counts, Loop, Result1)
    ).

counted([Other-Before|Counts], Loop, Count, Result) :-
    (   Other == Loop
    ->  Count is Before + 1,
        Result = [Loop-Count|Counts]
    ;   Result = [Other-Before|Result1],
        counted(Counts, Loop, Count, Result1)
    ).

% ---- Heap --------------------------------------------------------------------------------------
% A list of cell(Ref, Object) whose tail is a variable: what is not known yet. The reference of an
% input object is a variable, that of a created one a number, so the two are never the same.

cell(Heap, Ref, Mode, Object) :-
    (   known(Heap, Ref, Found)
    ->  Object = Found
    ;   initialised(Heap, Ref, Mode, Object)
    ).

known(Heap, Ref, Object) :-
    nonvar(Heap),
    Heap = [cell(Other, Found)|Rest],
    (   Other == Ref
    ->  Object = Found
    ;   known(Rest, Ref, Object)
    ).

% Lazy initialisation: any compatible input object, or else a new one at the open end.
initialised(Heap, Ref, _, Object) :-
    var(Heap), !,
    Heap = [cell(Ref, Object)|_].
initialised([cell(Other, Found)|_], Ref, lazy, Object) :-
    var(Other),
    Object = Found,
    Ref = Other.
initialised([_|Rest], Ref, Mode, Object) :-
    initialised(Rest, Ref, Mode, Object).

replace([cell(Other, Object)|Rest], Ref, New, Heap) :-
    (   Other == Ref
    ->  Heap = [cell(Ref, New)|Rest]
    ;   Heap = [cell(Other, Object)|Heap1],
        replace(Rest, Ref, New, Heap1)
    ).

field(list:first, list(First), First).
field(node:data, node(Data, _), Data).
field(node:next, node(_, Next), Next).

update(list:first, list(_), First, list(First)).
update(node:data, node(_, Next), Data, node(Data, Next)).
update(node:next, node(Data, _), Next, node(Data, Next)).

initial(node, node(0, null)).
initial(null_error, null_error).
initial(arithmetic_error, arithmetic_error).

% ---- Programs ----------------------------------------------------------------------------------
% The last three arguments of a block are the heap before, the heap after, and how the method ends:
% returned(Value) or raised(Ref). A reference is null or r(Ref).

% List.remAll, Figure 10.
rem_all(r(This), L, H0, H, End) ==>
    rem_all_start(This, L, H0, H, End).
rem_all_start(_, null, H0, H, raised(Error)) ==>
    new_object(H0, null_error, Error, H).
rem_all_start(This, r(L), H0, H, End) ==>
    get_field(H0, L, list:first, Lf),
    enter(outer),
    outer(This, Lf, H0, H, End).
outer(_, null, H, H, returned(none)) ==>
    done.
outer(This, r(Lf), H0, H, End) ==>
    iterate(outer),
    get_field(H0, This, list:first, Next),
    enter(inner),
    inner(This, Lf, null, Next, H0, H, End).
inner(This, Lf, _, null, H0, H, End) ==>
    get_field(H0, Lf, node:next, Lf1),
    outer(This, Lf1, H0, H, End).
inner(This, Lf, Prev, r(P), H0, H, End) ==>
    iterate(inner),
    get_field(H0, P, node:next, Next),
    get_field(H0, P, node:data, A),
    get_field(H0, Lf, node:data, B),
    same_data(A, B, This, Lf, Prev, P, Next, H0, H, End).
same_data(A, B, This, Lf, _, P, Next, H0, H, End) ==>
    A #\= B,
    inner(This, Lf, r(P), Next, H0, H, End).
same_data(A, B, This, Lf, Prev, _, Next, H0, H, End) ==>
    A #= B,
    unlink(Prev, This, Lf, Next, H0, H, End).
unlink(null, This, Lf, Next, H0, H, End) ==>
    set_field(H0, This, list:first, Next, H1),
    inner(This, Lf, null, Next, H1, H, End).
unlink(r(Prev), This, Lf, Next, H0, H, End) ==>
    set_field(H0, Prev, node:next, Next, H1),
    inner(This, Lf, r(Prev), Next, H1, H, End).

% intExp, Figure 1.
int_exp(_, N, H0, H, raised(Error)) ==>
    N #< 0,
    new_object(H0, arithmetic_error, Error, H).
int_exp(A, N, H0, H, End) ==>
    N #>= 0,
    enter(power),
    power(A, N, 1, H0, H, End).
power(_, N, Out, H, H, returned(Out)) ==>
    N #=< 0.
power(A, N, Out, H0, H, End) ==>
    N #> 0,
    iterate(power),
    Out1 #= Out * A,
    N1 #= N - 1,
    power(A, N1, Out1, H0, H, End).

% Insertion into a sorted list.
sorted_insert(r(This), X, H0, H, End) ==>
    new_object(H0, node, Node, H1),
    set_field(H1, Node, node:data, X, H2),
    get_field(H2, This, list:first, First),
    insert_first(First, This, X, Node, H2, H, End).
insert_first(null, This, _, Node, H0, H, returned(none)) ==>
    set_field(H0, This, list:first, r(Node), H).
insert_first(r(First), This, X, Node, H0, H, End) ==>
    get_field(H0, First, node:data, Data),
    before_first(Data, First, This, X, Node, H0, H, End).
before_first(Data, First, This, X, Node, H0, H, returned(none)) ==>
    Data #>= X,
    set_field(H0, Node, node:next, r(First), H1),
    set_field(H1, This, list:first, r(Node), H).
before_first(Data, First, _, X, Node, H0, H, End) ==>
    Data #< X,
    get_field(H0, First, node:next, Current),
    enter(search),
    search(Current, First, X, Node, H0, H, End).
search(null, Previous, _, Node, H0, H, returned(none)) ==>
    set_field(H0, Previous, node:next, r(Node), H).
search(r(Current), Previous, X, Node, H0, H, End) ==>
    get_field(H0, Current, node:data, Data),
    compare_data(Data, Current, Previous, X, Node, H0, H, End).
compare_data(Data, Current, Previous, X, Node, H0, H, returned(none)) ==>
    Data #>= X,
    set_field(H0, Node, node:next, r(Current), H1),
    set_field(H1, Previous, node:next, r(Node), H).
compare_data(Data, Current, _, X, Node, H0, H, End) ==>
    Data #< X,
    iterate(search),
    get_field(H0, Current, node:next, Next),
    search(Next, Current, X, Node, H0, H, End).

entry(rem_all, rem_all(_, _, _, _, _)).
entry(int_exp, int_exp(_, _, _, _, _)).
entry(sorted_insert, sorted_insert(_, _, _, _, _)).

% ---- Runner ------------------------------------------------------------------------------------

case(Program, Run, Head) :-
    entry(Program, Head),
    derive([block(Head)], [], Run).

measured(Program, Loops, Mode, Repeat, Cases, Cuts, Steps, Seconds) :-
    Run = run(Loops, Mode, 0, 0, 0),
    garbage_collect,
    statistics(process_cputime, Before),
    aggregate_all(count, ( between(1, Repeat, _), case(Program, Run, _) ), Cases),
    statistics(process_cputime, After),
    Seconds is After - Before,
    arg(3, Run, Steps),
    arg(4, Run, Cuts).

main(Arguments) :-
    (   arguments(Arguments, Program, Loops, Mode, Repeat)
    ->  measured(Program, Loops, Mode, Repeat, Cases, Cuts, Steps, Seconds),
        format('{"program": "~w", "loops": ~d, "heap": "~w", "repeat": ~d, ', [Program, Loops, Mode, Repeat]),
        format('"cases": ~d, "cuts": ~d, "steps": ~d, "seconds": ~6f}~n', [Cases, Cuts, Steps, Seconds])
    ;   format(user_error, 'usage: everypath_clp.pl -- PROGRAM LOOPS [lazy|noalias] [REPEAT]~n', []),
        halt(2)
    ).

arguments([Program, Loops], Program, Bound, lazy, 1) :- numbered(Program, Loops, Bound).
arguments([Program, Loops, Mode], Program, Bound, Mode, 1) :- mode(Mode), numbered(Program, Loops, Bound).
arguments([Program, Loops, Mode, Times], Program, Bound, Mode, Repeat) :-
    mode(Mode),
    numbered(Program, Loops, Bound),
    atom_number(Times, Repeat),
    integer(Repeat).

numbered(Program, Loops, Bound) :-
    entry(Program, _),
    atom_number(Loops, Bound),
    integer(Bound).

mode(lazy).
mode(noalias).
