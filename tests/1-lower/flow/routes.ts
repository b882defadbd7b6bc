// Ways for a value to get from one name to another one. In: a value's name. Out: declarations of
// other modules and of the module, statements, and the expression that is the value again.

export interface Way {
  /** Text of another module, which `other` names. */
  readonly other?: string;
  /** Declarations of the module. */
  readonly outside?: string;
  /** Statements in which `v` is the value; their last line defines `w`. */
  readonly inside: string;
}

/** By name. `T` is the value's type, `$` makes names unique. */
export const WAYS: Readonly<Record<string, Way>> = {
  constant: { inside: "const w = v;" },
  assigned: { inside: "let w = v; const u$ = w; w = u$;" },
  "logical assignment": { inside: "let w: T | undefined; w ??= v;" },
  choice: { inside: "const w = Math.random() < 2 ? v : undefined;" },
  "comma and parentheses": { inside: "const w = (((0, v)));" },
  "and, or": { inside: "const w = (false as boolean) || (true as boolean) && v;" },
  field: { inside: "const o$ = { f: v }; const w = o$.f;" },
  shorthand: { inside: "const o$ = { v }; const w = o$.v;" },
  "field that is assigned": { inside: "const o$: { f?: T } = {}; o$.f = v; const w = o$.f;" },
  "aliased object": {
    inside: "const o$: { f?: T } = {}; const p$ = o$; p$.f = v; const w = o$.f;",
  },
  "key in quotes": { inside: 'const o$ = { "a b": v }; const w = o$["a b"];' },
  "key of the run": {
    inside: "const o$: Record<string, T> = {}; o$[String(Math.floor(1.5))] = v; const w = o$['1'];",
  },
  "key that is read by the run": {
    inside: "const o$: Record<string, T> = { f: v }; const w = o$['f'.slice(0)];",
  },
  "key that is enumerated": {
    inside:
      "let w: T | undefined; const o$: Record<string, T> = { f: v }; for (const k in o$) w = o$[k];",
  },
  "method bound in its own place": {
    inside:
      "class C$ { constructor() { this.g = this.g.bind(this); } g(): T { return v; } } const w = new C$().g();",
  },
  "function bound again and again": {
    inside:
      "let f$ = (...all: T[]): T | undefined => all.at(-1); for (let i = 0; i < 3; i++) f$ = f$.bind(null, v); const w = f$();",
  },
  "functions bound in turn": {
    inside:
      "let f$ = (e: T): T => e, g$ = (e: T): T => e; for (let i = 0; i < 3; i++) { const h = f$; f$ = g$.bind(null); g$ = h.bind(null); } const w = f$(v);",
  },
  "bound, and bound again with what it is given": {
    inside:
      "let f$ = (...all: T[]): T | undefined => all[1]; f$ = f$.bind(null, v); const g$ = f$.bind(null, v); const w = g$(v);",
  },
  element: { inside: "const l$ = [v]; const w = l$[0];" },
  "pushed element": { inside: "const l$: T[] = []; l$.push(v); const w = l$[0];" },
  "element that is assigned": { inside: "const l$: T[] = []; l$[0] = v; const w = l$.at(-1);" },
  "popped element": { inside: "const l$: T[] = [v, v]; const w = l$.pop();" },
  "loop over elements": { inside: "let w: T | undefined; for (const e of [v]) w = e;" },
  "loop into a field": { inside: "const o$: { f?: T } = {}; for (o$.f of [v]); const w = o$.f;" },
  forEach: { inside: "let w: T | undefined; [v].forEach((e) => { w = e; });" },
  map: { inside: "const w = [1].map(() => v)[0];" },
  "map of elements": { inside: "const w = [v].map((e) => ({ e }))[0]!.e;" },
  flatMap: { inside: "const w = [[v]].flatMap((e) => e)[0];" },
  "filter, find": { inside: "const w = [v].filter(() => true).find(() => true);" },
  reduce: { inside: "const w = [1].reduce<T>((e) => e, v);" },
  "reduce over elements": {
    inside: "const w = [v].reduce<T | undefined>((_, e) => e, undefined);",
  },
  "reduce without a start": { inside: "const w = [v, v].reduce((_, e) => e);" },
  "sort with a test": { inside: "let w: T | undefined; [v, v].sort((e) => { w = e; return 0; });" },
  "slice, concat, reverse": { inside: "const w = ([] as T[]).concat([v]).slice().reverse()[0];" },
  "spread into a list": { inside: "const l$ = [v]; const w = [...l$][0];" },
  "entries of a list": {
    inside: "let w: T | undefined; for (const [, e] of [v].entries()) w = e;",
  },
  "third argument of a callback": {
    inside: "let w: T | undefined; [v].forEach((_, i, all) => { w = all[i]; });",
  },
  fill: { inside: "const w = new Array<T>(2).fill(v)[1];" },
  "Array.from": { inside: "const w = Array.from([v], (e) => e)[0];" },
  "Array.from with a length": { inside: "const w = Array.from({ length: 1 }, () => v)[0];" },
  flat: { inside: "const w = [[v]].flat()[0];" },
  "map that is set": {
    inside: "const m$ = new Map<string, T>(); m$.set('a', v); const w = m$.get('a');",
  },
  "map of pairs": { inside: "const m$ = new Map<string, T>([['a', v]]); const w = m$.get('a');" },
  "loop over a map": {
    inside: "let w: T | undefined; for (const [, e] of new Map<string, T>([['a', v]])) w = e;",
  },
  "forEach of a map": {
    inside: "let w: T | undefined; new Map<string, T>([['a', v]]).forEach((e) => { w = e; });",
  },
  "values of a map": { inside: "const w = [...new Map<string, T>([['a', v]]).values()][0];" },
  "key of a map": { inside: "const w = [...new Map<T, number>([[v, 1]]).keys()][0];" },
  set: {
    inside: "const s$ = new Set<T>(); s$.add(v); let w: T | undefined; for (const e of s$) w = e;",
  },
  "weak map": {
    inside:
      "const k$ = {}; const m$ = new WeakMap<object, T>(); m$.set(k$, v); const w = m$.get(k$);",
  },
  parameter: { outside: "function same$(x: T): T { return x; }", inside: "const w = same$(v);" },
  "generic function": {
    outside: "const same$ = <U,>(x: U): U => x;",
    inside: "const w = same$(v);",
  },
  "default of a parameter": { inside: "const give$ = (x: T = v): T => x; const w = give$();" },
  "rest parameter": {
    outside: "function last$(...xs: T[]): T | undefined { return xs[xs.length - 1]; }",
    inside: "const w = last$(v, v);",
  },
  "spread argument": {
    outside: "function two$(_: number, x: T): T { return x; }",
    inside: "const a$: [number, T] = [1, v]; const w = two$(...a$);",
  },
  arguments: {
    outside: "function all$(_x: T): T { return arguments[0] as T; }",
    inside: "const w = all$(v);",
  },
  closure: { inside: "const get$ = () => v; const w = get$();" },
  "closure of a parameter": {
    outside: "function maker$(x: T): () => T { return () => x; }",
    inside: "const w = maker$(v)();",
  },
  callback: {
    outside: "function with$(f: (x: T) => void, x: T): void { f(x); }",
    inside: "let w: T | undefined; with$((x) => { w = x; }, v);",
  },
  "function that is called at once": { inside: "const w = (function (x: T) { return x; })(v);" },
  recursion: {
    outside: "function down$(n: number, x: T): T { return n > 0 ? down$(n - 1, x) : x; }",
    inside: "const w = down$(2, v);",
  },
  "call, apply, bind": {
    outside: "function pick$(this: { f: T }, _: number): T { return this.f; }",
    inside:
      "const o$ = { f: v }; const w = [pick$.call(o$, 1), pick$.apply(o$, [1]), pick$.bind(o$)(1)][2];",
  },
  "bound argument": {
    outside: "function snd$(x: T, _: number): T { return x; }",
    inside: "const w = snd$.bind(null, v)(1);",
  },
  "variable of the module": {
    outside: "let held$: T | undefined;",
    inside: "held$ = v; const w = held$;",
  },
  "list of the module": {
    outside: "const all$: T[] = [];",
    inside: "all$.push(v); const w = all$[all$.length - 1];",
  },
  "other module": {
    other: "export function same$<U>(x: U): U { return x; }",
    inside: "const w = other.same$(v);",
  },
  "variable of another module": {
    other: "export let held$: unknown; export function hold$(x: unknown): void { held$ = x; }",
    inside: "other.hold$(v); const w = other.held$ as T;",
  },
  "object of another module": {
    other: "export const box$: { f?: unknown } = {};",
    inside: "other.box$.f = v; const w = other.box$.f as T;",
  },
  "list of another module": {
    other: "export const box$: unknown[] = [];",
    inside: "other.box$.push(v); const w = other.box$[0] as T;",
  },
  "module as an object": {
    other: "export const box$: { f?: unknown } = {};",
    inside: "const m$ = other; m$.box$.f = v; const w = m$.box$.f as T;",
  },
  destructured: { inside: "const { f: w } = { f: v };" },
  "destructured with a default": { inside: "const { f: w = v }: { f?: T } = {};" },
  "nested pattern": { inside: "const { a: [{ f: w }] } = { a: [{ f: v }] as [{ f: T }] };" },
  "rest of a pattern": {
    inside: "const { a, ...r$ } = { a: 1, f: v }; const w = a ? r$.f : undefined;",
  },
  "rest of a list pattern": { inside: "const [, ...r$] = [v, v]; const w = r$[0];" },
  "pattern that is assigned": { inside: "let w: T | undefined; ({ f: w } = { f: v }); [w] = [v];" },
  "pattern of a parameter": {
    outside: "function get$({ f }: { f: T }): T { return f; }",
    inside: "const w = get$({ f: v });",
  },
  swap: { inside: "let w: T = v; let u$: T = v; [w, u$] = [u$, w];" },
  "object spread": { inside: "const o$ = { f: v }; const w = { ...o$ }.f;" },
  "Object.assign": { inside: "const w = Object.assign({ a: 1 }, { f: v }).f;" },
  "Object.values": { inside: "const w = Object.values({ f: v })[0];" },
  "Object.entries": {
    inside: "let w: T | undefined; for (const [, e] of Object.entries({ f: v })) w = e;",
  },
  "Object.fromEntries": {
    inside: "const w = Object.fromEntries([['f', v]] as [string, T][])['f'];",
  },
  "Object.freeze": { inside: "const w = Object.freeze({ f: v }).f;" },
  "parameter property": {
    outside: "class Box$ { constructor(readonly f: T) {} }",
    inside: "const w = new Box$(v).f;",
  },
  "field of a class": {
    outside: "class Box$ { f: T | undefined; set(x: T): this { this.f = x; return this; } }",
    inside: "const w = new Box$().set(v).f;",
  },
  "private field": {
    outside:
      "class Box$ { #f: T; constructor(x: T) { this.#f = x; } get(): T { return this.#f; } }",
    inside: "const w = new Box$(v).get();",
  },
  accessors: {
    outside:
      "class Box$ { #f: T | undefined; get f(): T | undefined { return this.#f; } set f(x: T | undefined) { this.#f = x; } }",
    inside: "const b$ = new Box$(); b$.f = v; const w = b$.f;",
  },
  "accessors of a literal": {
    inside:
      "const o$ = { held: undefined as T | undefined, get f() { return this.held; }, set f(x) { this.held = x; } }; o$.f = v; const w = o$.f;",
  },
  "method of a literal": {
    inside: "const o$ = { held: v, get() { return this.held; } }; const w = o$.get();",
  },
  "static field": {
    outside: "class Box$ { static f: T | undefined; }",
    inside: "Box$.f = v; const w = Box$.f;",
  },
  "static method": {
    outside:
      "class Box$ { static same(x: T): T { return this.id(x); } static id(x: T): T { return x; } }",
    inside: "const w = Box$.same(v);",
  },
  "static block": {
    outside:
      "class Box$ { static hold: (x: T) => void; static f: T | undefined; static { this.hold = (x) => { this.f = x; }; } }",
    inside: "Box$.hold(v); const w = Box$.f;",
  },
  "constructor of a base": {
    outside:
      "class Base$ { constructor(readonly f: T) {} } class Box$ extends Base$ { constructor(x: T) { super(x); } }",
    inside: "const w = new Box$(v).f;",
  },
  "inherited constructor": {
    outside: "class Base$ { constructor(readonly f: T) {} } class Box$ extends Base$ {}",
    inside: "const w = new Box$(v).f;",
  },
  "method of a base": {
    outside:
      "class Base$ { same(x: T): T { return x; } } class Box$ extends Base$ { override same(x: T): T { return super.same(x); } }",
    inside: "const w = new Box$().same(v);",
  },
  "abstract method": {
    outside:
      "abstract class Base$ { abstract id(x: T): T; same(x: T): T { return this.id(x); } } class Box$ extends Base$ { id(x: T): T { return x; } }",
    inside: "const b$: Base$ = new Box$(); const w = b$.same(v);",
  },
  interface: {
    outside: "interface I$ { id(x: T): T } class Box$ implements I$ { id(x: T): T { return x; } }",
    inside: "const b$: I$ = new Box$(); const w = b$.id(v);",
  },
  "class that is a value": {
    outside: "class Box$ { constructor(readonly f: T) {} } const kinds$ = { Box$ };",
    inside: "const w = new kinds$.Box$(v).f;",
  },
  "class that a function makes": {
    outside: "function kind$(x: T) { return class { f = x; }; }",
    inside: "const w = new (kind$(v))().f;",
  },
  mixin: {
    outside:
      "class Base$ { id(x: T): T { return x; } } const mix$ = <C extends new (...a: any[]) => Base$>(B: C) => class extends B { again(x: T): T { return this.id(x); } }; const Mixed$ = mix$(Base$);",
    inside: "const w = new Mixed$().again(v);",
  },
  "method that is replaced": {
    outside: "class Box$ { id(x: T): T | undefined { return x && undefined; } }",
    inside: "const b$ = new Box$(); b$.id = (x) => x; const w = b$.id(v);",
  },
  "method on the prototype": {
    outside:
      "class Box$ { id(x: T): T | undefined { return x && undefined; } } Box$.prototype.id = function (x) { return x; };",
    inside: "const w = new Box$().id(v);",
  },
  "function with a field": {
    outside: "function fn$(): void {} fn$.held = undefined as T | undefined;",
    inside: "fn$.held = v; const w = fn$.held;",
  },
  generator: {
    outside: "function* give$(x: T): Generator<T> { yield x; }",
    inside: "let w: T | undefined; for (const e of give$(v)) w = e;",
  },
  "generator by hand": {
    outside: "function* give$(x: T): Generator<T> { yield x; }",
    inside: "const w = give$(v).next().value as T;",
  },
  "generator of a generator": {
    outside:
      "function* give$(x: T): Generator<T> { yield* [x]; } function* more$(x: T): Generator<T> { yield* give$(x); }",
    inside: "const [w] = more$(v);",
  },
  iterator: {
    outside:
      "class Bag$ { constructor(readonly x: T) {} *[Symbol.iterator](): Generator<T> { yield this.x; } }",
    inside: "const [w] = [...new Bag$(v)];",
  },
  "iterator by hand": {
    inside:
      "let n$ = 0; const it$ = { [Symbol.iterator]: () => ({ next: () => (n$++ === 0 ? { done: false as const, value: v } : { done: true as const, value: undefined }) }) }; const [w] = it$;",
  },
  thrown: { inside: "let w: T | undefined; try { throw v; } catch (e) { w = e as T; }" },
  "template tag": {
    outside: "function tag$(_: TemplateStringsArray, x: T): T { return x; }",
    inside: "const w = tag$`a${v}b`;",
  },
  "optional call": {
    inside: "const o$: { get?: () => T } = { get: () => v }; const w = o$.get?.();",
  },
  namespace: {
    outside:
      "namespace N$ { export let held: T | undefined; export function hold(x: T): void { held = x; } }",
    inside: "N$.hold(v); const w = N$.held;",
  },
  switch: { inside: "let w: T | undefined; switch (1 as number) { case 1: w = v; }" },
  assertions: { inside: "const w = ((v as unknown) as T)!;" },
  "linked list": {
    inside:
      "interface L$ { f: T; next: L$ | null } let l$: L$ | null = null; for (let i = 0; i < 3; i++) l$ = { f: v, next: l$ }; const w = l$?.next?.f;",
  },
};
