// Derivatives of asynchronous functions that run at once, while plain code takes other ones, and pullbacks fail, between them. In: functions that await promises, timers, lists of promises and each other, in an order
// drawn once. Oracles: the same derivatives one behind another, to the bit; central differences of width 1e-5, which leave about 1e-10 of curvature and 1e-11 of rounding: 1e-6 is far from either, and from any
// derivative that is not the right one. The plain derivative is 5 x, within a few roundings.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { idle, run } from "../../runtime/delta/store.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const SOURCE = `import { grad, vjp } from "tsgrad";
const { setTimeout } = globalThis as unknown as { setTimeout(f: () => void, ms: number): number };
const after = (ms: number): Promise<null> => new Promise<null>((done) => setTimeout(() => done(null), ms));
let seed = 1;
const rnd = (): number => { seed = (seed * 16807) % 2147483647; return seed / 2147483647; };
const plan = Array.from({ length: 400 }, () => Math.floor(rnd() * 8));
class Acc { private s = 0; #n = 0; begin(): void { this.s = 0; this.#n = 0; } add(x: number): void { this.s += x * x; this.#n++; } get mean(): number { return this.s / this.#n; } }
async function part(x: number, k: number): Promise<number> { if (k % 3 === 0) await null; const y = Math.sin(x) * k; if (k % 4 === 1) await after(k % 3); return y * x; }
export async function f(x: number, from: number): Promise<number> {
  let s = x; const acc = new Acc(); acc.begin(); const list: number[] = [];
  for (let i = 0; i < 6; i++) {
    const k = plan[(from * 7 + i) % plan.length]!;
    if (k === 0) await null;
    else if (k === 1) await after(i % 4);
    else if (k === 2) s += await part(s, i + 1);
    else if (k === 3) { const all = await Promise.all([part(s, 1), part(x, 2), Promise.resolve(s)]); s = all[0] * 0.1 + all[1] * 0.2 + all[2]; }
    else if (k === 4) s += await part(x, i).then((v) => v * s);
    else if (k === 5) { acc.add(s); await null; s += acc.mean * 0.01; }
    else if (k === 6) { list.push(s * x); for await (const v of [s, part(s, 1)]) s += 0.1 * v; }
    else { try { await part(s, 2); throw new Error("x"); } catch { s *= 1.01; } finally { s += list.length > 0 ? list[list.length - 1]! * 0.01 : 0; } }
  }
  return Math.tanh(s * 0.1);
}
const sync = grad((x: number): number => { const acc = new Acc(); acc.begin(); acc.add(x); acc.add(2 * x); return acc.mean; }, { engine: "delta" });
let kept = 1;
const keeping = vjp((x: number): number => { const b = kept; kept = x * x; return b * x; }, { engine: "delta" });
export const g = grad(f);
export async function stress(): Promise<readonly [string[], number]> {
  const xs = Array.from({ length: 24 }, (_, i) => 0.2 + i * 0.013), one: number[] = [];
  for (const [i, x] of xs.entries()) one.push(await g(x, i));
  const bad: string[] = []; let ticks = 0, thrown = 0, stop = false;
  const tick = (): void => { if (stop) return; ticks++; if (Math.abs(sync(0.5 + ticks * 0.001) - 5 * (0.5 + ticks * 0.001)) > 1e-12) bad.push("sync"); try { const [, back] = keeping(2 + ticks); back(1); } catch { thrown++; } if (ticks % 5 === 0) void g(0.3, ticks).then((v) => { if (!Number.isFinite(v)) bad.push("inner"); }); setTimeout(tick, 0); };
  tick();
  for (let round = 0; round < 2; round++) {
    const all = await Promise.all(xs.map(async (x, i) => { await after((i * 7 + round) % 5); return g(x, i); }));
    all.forEach((v, i) => { if (v !== one[i]) bad.push(\`\${round} \${i} \${v} \${one[i]}\`); });
  }
  stop = true;
  for (const [i, x] of xs.entries()) { const h = 1e-5, d = (await f(x + h, i) - await f(x - h, i)) / (2 * h); if (Math.abs(d - one[i]!) > 1e-6 * Math.max(1, Math.abs(d))) bad.push(\`fd \${i} \${d} \${one[i]}\`); }
  return [bad, thrown];
}
`;

test("what runs at once is apart", async () => {
  const { edits, diagnostics } = analyse(programOf({ "input.ts": SOURCE }));
  expect(diagnostics).toEqual([]);
  const { stress } = loader(
    new Map([
      ["/src/input.ts", applyEdits("/src/input.ts", SOURCE, edits.get("/src/input.ts") ?? []).text],
    ]),
  )("/src/input.ts") as { readonly stress: () => Promise<readonly [string[], number]> }; // exports are unknown
  const [wrong, thrown] = await stress();
  expect(wrong).toEqual([]);
  // the pullbacks did fail
  expect(thrown).toBeGreaterThan(2);
  expect(run).toBe(idle);
});
