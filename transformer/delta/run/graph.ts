// Arithmetic of a fused stretch as a graph. In: operations of the primal and of adjoints. Out:
// nodes, each unique. Invariant: operands are older than their node; primal operations are
// unchanged, adjoint ones are simplified. Rules write into it as into any `Builder`.

import { Builder, num, NUM } from "../../ir/build.ts";
import { Names } from "../../ir/names.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom } from "../../ir/types.ts";
import { Guards } from "./guards.ts";

export interface Num {
  readonly kind: "num";
  readonly at: number;
  /** Null for a leaf, whose source is `text`. */
  readonly op: ScalarOp | null;
  readonly args: readonly Num[];
  readonly text: string;
  readonly value: number | null;
  /** Source text of a leaf's id, "0" where it has none. */
  readonly id: string;
  /** Whether it depends on a leaf with an id. */
  readonly varies: boolean;
}

const NOWHERE = { file: "", start: 0, end: 0 };

export class Graph extends Builder {
  readonly nodes: Num[] = [];
  readonly known: Map<Num, number> = new Map();
  readonly guards: Guards = new Guards(this);
  readonly #known = new Map<string, Num>();

  constructor() {
    super(new Names(), NOWHERE, true);
  }

  leaf(text: string, id: string, value: number | null = null): Num {
    return this.#made(`leaf ${text} ${id}`, {
      op: null,
      args: [],
      text,
      value,
      id,
      varies: id !== "0",
    });
  }

  literal(value: number): Num {
    return this.leaf(String(value), "0", value);
  }

  /** An operation of the primal. */
  primal(op: ScalarOp, args: readonly Num[]): Num {
    return this.#made(`${op} ${args.map(({ at }) => at).join(" ")}`, {
      op,
      args,
      text: "",
      value: null,
      id: "0",
      varies: args.some(({ varies }) => varies),
    });
  }

  #made(key: string, node: Omit<Num, "kind" | "at">): Num {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made: Num = { kind: "num", at: this.nodes.length, ...node };
    this.nodes.push(made);
    this.#known.set(key, made);
    return made;
  }

  atom(node: Num): Atom {
    return node.value === null
      ? { kind: "var", name: String(node.at), type: NUM }
      : num(node.value);
  }

  node(atom: Atom): Num {
    const made = atom.kind === "var" ? this.nodes[Number(atom.name)] : undefined;
    return (
      made ?? this.literal(atom.kind === "const" && typeof atom.value === "number" ? atom.value : 0)
    );
  }

  /** An operation of an adjoint. */
  override op(op: ScalarOp, ...atoms: readonly Atom[]): Atom {
    return this.atom(
      this.#simplified(
        op,
        atoms.map((atom) => this.node(atom)),
      ),
    );
  }

  #simplified(op: ScalarOp, args: readonly Num[]): Num {
    const [a, b] = args;
    if (a === undefined) return this.primal(op, args);
    if (op === "neg") return this.#negated(a);
    if (b === undefined) return this.primal(op, args);
    switch (op) {
      case "mul":
        return this.#product(a, b);
      // -a / b  ->  -(a / b)
      case "div":
        return a.op === "neg" && a.args[0] !== undefined
          ? this.#negated(this.#simplified("div", [a.args[0], b]))
          : b.value === 1
            ? a
            : this.primal(op, args);
      // a + -b  ->  a - b, -a + b  ->  b - a
      case "add":
        if (b.op === "neg" && b.args[0] !== undefined) return this.primal("sub", [a, b.args[0]]);
        return a.op === "neg" && a.args[0] !== undefined
          ? this.primal("sub", [b, a.args[0]])
          : this.primal(op, args);
      case "eq":
        return this.#equality(a, b);
      // c ? 0 : -y  ->  -(c ? 0 : y)
      case "select": {
        if (a.text === "false" && args[2] !== undefined) return args[2];
        const [, , c] = args;
        const [inner] = c?.args ?? [];
        return b.value === 0 && c?.op === "neg" && inner !== undefined
          ? this.#negated(this.primal(op, [a, b, inner]))
          : this.primal(op, args);
      }
      case "and":
        return [a, b].find(({ text }) => text === "false") ?? this.primal(op, args);
      default:
        return this.primal(op, args);
    }
  }

  /** `-a === 0  ->  a === 0` */
  #equality(a: Num, b: Num): Num {
    if (b.value === 0 && this.#isNonzero(a)) return this.leaf("false", "0");
    return this.primal("eq", [
      a.op === "neg" && b.value === 0 && a.args[0] !== undefined ? a.args[0] : a,
      b,
    ]);
  }

  /** `--a  ->  a` */
  #negated(a: Num): Num {
    if (a.value !== null) return this.literal(-a.value);
    return a.op === "neg" && a.args[0] !== undefined ? a.args[0] : this.primal("neg", [a]);
  }

  /** `1 a  ->  a`, `0 a  ->  0`, `-a b  ->  -(a b)` */
  #product(a: Num, b: Num): Num {
    if (a.value === 1) return b;
    if (b.value === 1) return a;
    if (a.value === 0 || b.value === 0) return this.literal(0);
    if (a.value === -1) return this.#negated(b);
    if (b.value === -1) return this.#negated(a);
    if (a.op === "neg" && a.args[0] !== undefined)
      return this.#negated(this.#product(a.args[0], b));
    if (b.op === "neg" && b.args[0] !== undefined)
      return this.#negated(this.#product(a, b.args[0]));
    return this.primal("mul", [a, b]);
  }

  /** Its value, where TypeScript knows it. */
  knownOf(node: Num): number | null {
    const {
      op,
      args: [inner],
    } = node;
    const value = node.value ?? this.known.get(node);
    if (value !== undefined) return value;
    const own = inner === undefined || (op !== "neg" && op !== "plus") ? null : this.knownOf(inner);
    return own === null ? null : op === "neg" ? -own : own;
  }

  /** Whether TypeScript knows the finite set of its values. */
  isListed({ op, args }: Num): boolean {
    return (
      op === "select" &&
      args.slice(1).every((arg) => this.knownOf(arg) !== null || this.isListed(arg))
    );
  }

  /** Whether TypeScript knows that it is not 0, and so rejects a comparison with 0. */
  #isNonzero(node: Num): boolean {
    const known = this.knownOf(node);
    return known !== null
      ? known !== 0
      : node.op === "select" && node.args.slice(1).every((arg) => this.#isNonzero(arg));
  }
}
