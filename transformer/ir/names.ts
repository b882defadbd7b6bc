// The one place where names of generated code are made (DESIGN.md §3). In: primal names. Out: strings.
// Invariant: `$` occurs in generated names only; what stands before the first dot of a Var's name is what emission tries to write.

import type { Global } from "./types.ts";

/** `s.2` -> `s`, `t~w0.2` -> `t`. */
export const baseName = (name: string): string => /^[^.~]*/.exec(name)?.[0] ?? name;

/** A temporary that text may call `hint`: `t~w0`, and its cotangent `t$bar~w0`. It stays a temporary for whoever asks whether it is one. */
export const hinted = (name: string, hint: string): string => `${baseName(name)}~${hint}`;

const hintIn = (name: string): string | null => /~([^.]*)/.exec(name)?.[1] ?? null;

/** What holds a call's residuals, before it is numbered. */
export const BOG = "bog";
/** What the array is called that holds BOGs (4-optimise/arena). */
export const ARENA = "arena";

/** What text tries to call a name: `s` for `s.2`, `w0` for `t~w0.2`, `w0$bar` for `t$bar~w0`. */
export const spoken = (name: string): string => {
  const hint = hintIn(name);
  return hint === null ? baseName(name) : baseName(name).replace(/^t(?=\$|$)/, () => hint);
};

/** What a global is, whatever it is called where it is read: the same for all names of one variable, and for no other's. */
export const variableOf = ({
  variable,
  file,
  name,
}: Pick<Global, "variable" | "file" | "name">): string => variable ?? topLevel(file, name);

/** A variable of the top level of a file. */
export const topLevel = (file: string, name: string): string => `${file} ${name}`;

/** The two parts of a user's rule that runs once. */
export const ruleOf = (f: string): string => `${f}$rule`;
export const backOf = (f: string): string => `${f}$back`;

/** Names that say nothing: a temporary and its cotangent. */
export const isTemporary = (name: string): boolean =>
  baseName(name) === "t" || baseName(name) === "t$bar";

const made = (name: string, ending: string): string => {
  const base = `${baseName(name)}${ending}`;
  const hint = hintIn(name);
  return hint === null ? base : hinted(base, hint);
};

/** Cotangent of a scalar, or shadow of an aggregate: `x` -> `x$bar`. */
export const bar = (name: string): string => made(name, "$bar");

/** What stands for a place of an object: `axis0` for `axis[0]`, `posX` for `pos.x`. */
export function partName(object: string, place: string): string {
  const word = place.replaceAll(/[^\p{ID_Continue}]/gu, "");
  return /^\d/.test(word)
    ? `${object}${/\d$/.test(object) ? "_" : ""}${word}`
    : `${object}${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** Tangent of a scalar, or tangent shadow of an aggregate: `x` -> `x$dot`. */
export const dot = (name: string): string => made(name, "$dot");

/** Whether it is named as a cotangent, a shadow or a tangent is. */
export const isDerived = (name: string): boolean => /\$(?:bar|dot)(?!\p{L})/u.test(name);

/** A variant for fewer active arguments carries the active ones: `g$revf$x`. `active` is null where all are; without any, `g$revf$0` makes shadows alone. */
const variant = (active: readonly string[] | null): string =>
  active === null ? "" : active.length === 0 ? "$0" : active.map((a) => `$${baseName(a)}`).join("");

export const revf = (f: string, active: readonly string[] | null): string =>
  `${f}$revf${variant(active)}`;
export const revr = (f: string, active: readonly string[] | null): string =>
  `${f}$revr${variant(active)}`;
/** Both sweeps in one. */
export const merged = (f: string, active: readonly string[] | null): string =>
  `${f}$merged${variant(active)}`;
export const bogType = (f: string, active: readonly string[] | null): string =>
  `${f}$Bog${variant(active)}`;

/** The function that gives a BOG of that type; null for other names. */
export const revfOfBog = (bog: string): string | null =>
  /\$Bog(?!.*\$Bog)(?:\$[^$]+)*$/.test(bog) && !bog.endsWith("$dot")
    ? bog.replace(/\$Bog(?!.*\$Bog)/, "$revf")
    : null;

/** Whether a type is that of a BOG, or of its tangent. */
export const isBogType = (name: string): boolean => /\$Bog(?:\$[^$]+)*$/.test(name);

/** Type of the tangent of a BOG. */
export const bogTangent = (bog: string): string => `${bog}$dot`;

/** What a call asks for; a list of one argument gives another result than the argument alone. */
export interface Asked {
  /** Null without `argnums`, or for argument 0 alone where that is the same. */
  readonly names: readonly string[] | null;
  readonly tuple: boolean;
}

const asked = ({ names, tuple }: Asked): string =>
  `${tuple && names?.length === 1 ? "Tuple" : ""}${variant(names)}`;

/** Value and cotangents for a seed, in one pass. */
export const pull = (f: string, of: Asked): string => `${f}$pull${asked(of)}`;

/** Forward mode; of a gradient left to right, `f$grad$fwd`. */
export const fwd = (f: string, active: readonly string[] | null): string =>
  `${f}$fwd${variant(active)}`;
/** Forward mode of a function of which some arguments hold no numbers, with a place for their tangents all the same. */
export const jvp = (f: string): string => `${f}$jvp`;

/** A function of a package, with the rule that `defineDerivative` gives it. */
export const defined = (f: string): string => `${f}$defined`;

/** What a solver finds: `g$rootFind`. */
export const solution = (f: string, solver: string): string => `${f}$${solver}`;

/** A class's member as a function: `Vec_dot`; `Circle_Shape_area` is what `super.area()` calls. */
export const member = (...parts: readonly string[]): string =>
  parts.map((part) => part.replaceAll(/[^\p{ID_Continue}$]/gu, "")).join("_");

/** What says that a function's derivatives are shipped, and what it writes. */
/** Changes whenever the pair is called in another way. */
export const SHIPPED_FORMAT = "tsgrad 1";
export const shipped = (f: string): string => `${f}$shipped`;

export const grad = (f: string, of: Asked): string => `${f}$grad${asked(of)}`;
export const vag = (f: string, of: Asked): string => `${f}$vag${asked(of)}`;
/** With `hasAux` the same function has another pullback: `f$vjpAux`. */
export const vjp = (f: string, of: Asked, hasAux: boolean): string =>
  `${f}$vjp${hasAux ? "Aux" : ""}${asked(of)}`;

/** The whole Jacobian by known numbers, column by column, and the whole Hessian. */
export const jacfwd = (f: string, of: Asked, hasAux: boolean): string =>
  `${f}$jacfwd${hasAux ? "Aux" : ""}${asked(of)}`;
export const hessian = (f: string, of: Asked, hasAux: boolean): string =>
  `${f}$hessian${hasAux ? "Aux" : ""}${asked(of)}`;
/** The whole Jacobian, row by row. */
export const jacrev = (f: string, of: Asked, hasAux: boolean): string =>
  `${f}$jacrev${hasAux ? "Aux" : ""}${asked(of)}`;

/** A derivative that is written into an object that its caller gives: `f$grad$into`. */
export const into = (derivative: string): string => `${derivative}$into`;

/** What runs through the Delta engine in place of f. */
export const delta = (f: string): string => `${f}$delta`;

/** An instrumented copy of a package's module: `d3-array/src/mean.js` -> `d3_array_src_mean$copy`. */
export const packageCopy = (shown: string): string =>
  `${shown
    .replace(/\.[cm]?[jt]sx?$/, "")
    .replaceAll(/[^\p{ID_Continue}]+/gu, "_")
    .replace(/^(?=\d)/, "_")}$copy`;

/** Makes a const's value once more of rewritten functions. */
export const deltaOnce = (name: string): string => `${name}$once`;
/** What a variable's id, or a value that is made once, is kept by. */
export const deltaCell = (name: string): string => `${name}$cell`;

/** A loop of f as a function, and one round of it. */
export const loop = (f: string): string => `${f}$loop`;
export const round = (f: string): string => `${f}$round`;
/** What reverses such a loop, round by round from the last one: `f$loop` -> `f$rewind`. */
export const rewind = (loop: string, active: readonly string[] | null): string =>
  `${loop.replace(/\$loop(?=\d*$)/, "$rewind")}${variant(active)}`;

const SPARE = { num: "Tape", ref: "Refs", arena: "Arena", zeros: "Zeros" } as const;

/** Where a derivative keeps its tape for the next call: `f$grad$x` -> `f$gradTape$x`, that of references in `f$gradRefs$x`, of BOGs in `f$gradArena$x`, a second one in `f$gradTape1$x`, a template of zeros in `f$gradZeros$x`. */
export function spare(derivative: string, of: keyof typeof SPARE, nth = 0): string {
  const word = `${SPARE[of]}${nth === 0 ? "" : nth}`;
  const named = derivative.replace(/\$(?:grad|vag)(?:Tuple)?(?=\$|$)/, `$&${word}`);
  return named === derivative ? `${derivative}${word}` : named;
}

/** Makes names that are unique within one function: `s`, `s.1`, `s.2`, … */
export class Names {
  readonly #next = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    for (const name of taken) this.reserve(name);
  }

  reserve(name: string): void {
    const base = baseName(name);
    const dot = name.lastIndexOf(".");
    const version = dot < 0 ? 0 : Number(name.slice(dot + 1));
    this.#next.set(base, Math.max(this.#next.get(base) ?? 0, version + 1));
  }

  fresh(wanted: string): string {
    const base = baseName(wanted);
    const version = this.#next.get(base) ?? 0;
    const hint = hintIn(wanted);
    const name = hint === null ? base : hinted(base, hint);
    this.#next.set(base, version + 1);
    return version === 0 ? name : `${name}.${version}`;
  }
}
