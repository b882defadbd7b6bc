import { analyse } from "../transformer/analyse.ts";
import { programOf } from "./program.ts";
import { writeHeapSnapshot } from "node:v8";
const code = (k: number) => `import { grad } from "tsgrad";
export class Model { cache: number | undefined; at(x: number): number { if (this.cache === undefined) this.cache = x * x; return this.cache; } }
export const m = new Model();
function f(x: number): number { const a = [1,2,${k}].map(v => v * x); return m.at(x) + a[0]!; }
export const g = grad(f, { engine: "${process.argv[2]}" });`;
for (let k = 0; k < Number(process.argv[3]); k++) {
  { const r = analyse(programOf({ "input.ts": code(k) })); if (r.diagnostics.length && k === 0) console.log(r.diagnostics.map(d => d.code)); }
  (globalThis as any).gc(); (globalThis as any).gc();
  if (k % 5 === 4) console.log(k, (process.memoryUsage().heapUsed / 1e6).toFixed(1));
}
if (process.argv[4]) writeHeapSnapshot(process.argv[4]);
