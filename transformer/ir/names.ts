// The only file that makes names of generated code. `$` occurs in generated names only. Emission
// tries to use the part of a Var's name before the first dot.

import type { Global } from "./types.ts";

/** `s.2` -> `s`, `t~w0.2` -> `t`. */
export const baseName = (name: string): string => /^[^.~]*/.exec(name)?.[0] ?? name;

/** A temporary that emission may call `hint`: `t~w0`, with cotangent `t$bar~w0`. */
export const withHint = (name: string, hint: string): string => `${baseName(name)}~${hint}`;

const hintIn = (name: string): string | null => /~([^.]*)/.exec(name)?.[1] ?? null;

/** The local that holds a call's BOG. */
export const BOG = "bog";
/** The array that holds BOGs (4-optimise/arena). */
export const ARENA = "arena";

/** The name that emission prefers: `s` for `s.2`, `w0` for `t~w0.2`, `w0$bar` for `t$bar~w0`. */
export const preferredName = (name: string): string => {
  const hint = hintIn(name);
  const base = hint === null ? baseName(name) : baseName(name).replace(/^t(?=\$|$)/, () => hint);
  return base.replaceAll(USER_DOLLAR, "$");
};

/** The `$` in a name of the user's. */
const USER_DOLLAR = "\u01C0";

/** The identity of a global: the same for all names of one variable, different for all others. */
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

/** Names without meaning: a temporary and its cotangent. */
export const isTemporary = (name: string): boolean =>
  baseName(name) === "t" || baseName(name) === "t$bar";

const derivedName = (name: string, ending: string): string => {
  const base = `${baseName(name)}${ending}`;
  const hint = hintIn(name);
  return hint === null ? base : withHint(base, hint);
};

/** Cotangent of a scalar, or shadow of an aggregate: `x` -> `x$bar`. */
export const bar = (name: string): string => derivedName(name, "$bar");

/** Name of a place of an object: `axis0` for `axis[0]`, `posX` for `pos.x`. */
export function partName(object: string, place: string): string {
  const word = place.replaceAll(/[^\p{ID_Continue}]/gu, "");
  return /^\d/.test(word)
    ? `${object}${/\d$/.test(object) ? "_" : ""}${word}`
    : `${object}${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** Tangent of a scalar, or tangent shadow of an aggregate: `x` -> `x$dot`. */
export const dot = (name: string): string => derivedName(name, "$dot");

/** Whether it is the name of a cotangent, a shadow or a tangent. */
export const isDerivativeName = (name: string): boolean =>
  /\$(?:bar|dot)(?!\p{L})/u.test(baseName(name));

/**
 * A variant for fewer active arguments has their names: `g$revf$x`. `active` is null for all of
 * them; `g$revf$0` computes shadows alone.
 */
const variant = (active: readonly string[] | null): string =>
  active === null
    ? ""
    : active.length === 0
      ? "$0"
      : active.map((a) => `$${preferredName(a)}`).join("");

export const revf = (f: string, active: readonly string[] | null): string =>
  `${f}$revf${variant(active)}`;
export const revr = (f: string, active: readonly string[] | null): string =>
  `${f}$revr${variant(active)}`;
/** Both sweeps in one. */
export const merged = (f: string, active: readonly string[] | null): string =>
  `${f}$merged${variant(active)}`;
export const bogType = (f: string, active: readonly string[] | null): string =>
  `${f}$Bog${variant(active)}`;

/** The function that constructs BOGs of that type; null for other names. */
export const revfOfBog = (bog: string): string | null =>
  /\$Bog(?!.*\$Bog)(?:\$[^$]+)*$/.test(bog) && !bog.endsWith("$dot")
    ? bog.replace(/\$Bog(?!.*\$Bog)/, "$revf")
    : null;

/** Whether a type is a BOG, or the tangent of one. */
export const isBogType = (name: string): boolean => /\$Bog(?:\$[^$]+)*$/.test(name);

/** Type of the tangent of a BOG. */
export const bogTangent = (bog: string): string => `${bog}$dot`;

/** The request of a call. An array of one argument gives another result than the argument alone. */
export interface Requested {
  /** Null without `argnums`, or for argument 0 alone if that is the same. */
  readonly names: readonly string[] | null;
  readonly tuple: boolean;
}

const requestSuffix = ({ names, tuple }: Requested): string =>
  `${tuple && names?.length === 1 ? "Tuple" : ""}${variant(names)}`;

/** Value and cotangents for a seed, in one pass. */
export const pull = (f: string, of: Requested): string => `${f}$pull${requestSuffix(of)}`;

/** Forward mode. Names of second order are read left to right: `f$grad$fwd`. */
export const fwd = (f: string, active: readonly string[] | null): string =>
  `${f}$fwd${variant(active)}`;
/** Forward mode that also takes tangents for arguments without numbers. */
export const jvp = (f: string): string => `${f}$jvp`;

/** A function of a package with the rule of `defineDerivative`. */
export const defined = (f: string): string => `${f}$defined`;

/** The solution that a solver finds: `g$rootFind`. */
export const solution = (f: string, solver: string): string => `${f}$${solver}`;

/** A class member as a function: `Vec_dot`; `super.area()` calls `Circle_Shape_area`. */
export const member = (...parts: readonly string[]): string =>
  parts.map((part) => part.replaceAll(/[^\p{ID_Continue}$]/gu, "")).join("_");

/** The version of the calling convention of shipped pairs. */
export const SHIPPED_FORMAT = "tsgrad 1";
export const shipped = (f: string): string => `${f}$shipped`;

export const grad = (f: string, of: Requested): string => `${f}$grad${requestSuffix(of)}`;
export const vag = (f: string, of: Requested): string => `${f}$vag${requestSuffix(of)}`;
/** With `hasAux` the pullback differs: `f$vjpAux`. */
export const vjp = (f: string, of: Requested, hasAux: boolean): string =>
  `${f}$vjp${hasAux ? "Aux" : ""}${requestSuffix(of)}`;

/** The whole Jacobian, column by column, and the whole Hessian. */
export const jacfwd = (f: string, of: Requested, hasAux: boolean): string =>
  `${f}$jacfwd${hasAux ? "Aux" : ""}${requestSuffix(of)}`;
export const hessian = (f: string, of: Requested, hasAux: boolean): string =>
  `${f}$hessian${hasAux ? "Aux" : ""}${requestSuffix(of)}`;
/** The whole Jacobian, row by row. */
export const jacrev = (f: string, of: Requested, hasAux: boolean): string =>
  `${f}$jacrev${hasAux ? "Aux" : ""}${requestSuffix(of)}`;

/** A derivative that writes into an object of its caller: `f$grad$into`. */
export const into = (derivative: string): string => `${derivative}$into`;

/** The version of f for the Delta engine. */
export const delta = (f: string): string => `${f}$delta`;

/** An instrumented module of a package: `d3-array/src/mean.js` -> `d3_array_src_mean$copy`. */
export const packageCopy = (shown: string): string =>
  `${shown
    .replace(/\.[cm]?[jt]sx?$/, "")
    .replaceAll(/[^\p{ID_Continue}]+/gu, "_")
    .replace(/^(?=\d)/, "_")}$copy`;

/** The local that holds the id of a local: `x$id`. */
export const deltaId = (name: string): string => `${name}$id`;

/** Recomputes a const's value with rewritten functions. */
export const deltaOnce = (name: string): string => `${name}$once`;
/** Holds a variable's id, or a value that is computed once. */
export const deltaCell = (name: string): string => `${name}$cell`;

/** The value of `export default …`, which has no name. */
export const DEFAULT_VALUE = "default$value";

/** A loop of f as a function, and one iteration of it. */
export const loop = (f: string): string => `${f}$loop`;
export const iteration = (f: string): string => `${f}$round`;
/** The function that reverses such a loop, last iteration first: `f$loop` -> `f$rewind`. */
export const rewind = (loop: string, active: readonly string[] | null): string =>
  `${loop.replace(/\$loop(?=\d*$)/, "$rewind")}${variant(active)}`;

const SPARE = { num: "Tape", ref: "Refs", arena: "Arena", zeros: "Zeros" } as const;

/**
 * The variable with a derivative's retained tape: `f$grad$x` -> `f$gradTape$x`. References are in
 * `f$gradRefs$x`, BOGs in `f$gradArena$x`, zeros in `f$gradZeros$x`, a second tape in
 * `f$gradTape1$x`.
 */
export function retainedTape(derivative: string, of: keyof typeof SPARE, nth = 0): string {
  const word = `${SPARE[of]}${nth === 0 ? "" : nth}`;
  const named = derivative.replace(/\$(?:grad|vag)(?:Tuple)?(?=\$|$)/, `$&${word}`);
  return named === derivative ? `${derivative}${word}` : named;
}

/** A generator of names that are unique within one function: `s`, `s.1`, `s.2`, … */
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

  fresh(preferred: string): string {
    // the empty string is a key, too
    const base = baseName(preferred) || "t";
    const version = this.#next.get(base) ?? 0;
    const hint = hintIn(preferred);
    const name = hint === null ? base : withHint(base, hint);
    this.#next.set(base, version + 1);
    return version === 0 ? name : `${name}.${version}`;
  }
}

/** Names of the user's variables, where a `$` says nothing: `x$bar` is no cotangent of `x`. */
export class UserNames extends Names {
  override fresh(preferred: string): string {
    return super.fresh(preferred.replaceAll("$", USER_DOLLAR));
  }

  /** A cotangent or tangent that lowering itself names. */
  derivative(name: string): string {
    return super.fresh(name);
  }
}
