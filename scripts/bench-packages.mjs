// Times gradients through npm packages as users call them: `npm run bench:packages [NAME…]`.
// In: the table below. Out: for each function the engine, gradient ÷ primal in one interleaved
// run, and whether central differences of the real function agree. Invariant: packages are
// installed in a cache folder, or those of the folder in TSGRAD_PACKAGES are used.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./load.mjs";

const VERSIONS = {
  "@stdlib/math-base-special-erf": "0.2.6",
  "@stdlib/math-base-special-gamma": "0.3.1",
  "@types/bezier-js": "4.1.3",
  "@types/d3-interpolate": "3.0.4",
  "@types/d3-scale": "4.0.9",
  "@types/lodash-es": "4.17.12",
  "@types/three": "0.187.0",
  "bezier-js": "6.1.4",
  "d3-interpolate": "3.0.2",
  "d3-scale": "4.0.3",
  "gl-matrix": "3.4.4",
  "lodash-es": "4.18.1",
  mathjs: "15.2.0",
  "ml-matrix": "6.15.1",
  "simple-statistics": "7.12.1",
  "simplex-noise": "4.0.3",
  three: "0.187.0",
};

/** By package: what is imported, and functions of six numbers. */
const PACKAGES = {
  "simple-statistics": {
    imports: `import * as ss from "simple-statistics"; const ys = [1.2, 3.1, 4.4, 6.1, 7.7, 9.2];`,
    mean: `ss.mean(x)`,
    standardDeviation: `ss.standardDeviation(x)`,
    sampleSkewness: `ss.sampleSkewness(x)`,
    sampleCorrelation: `ss.sampleCorrelation(x, ys)`,
    errorFunction: `ss.errorFunction(x[0]!)`,
    linearRegression: `ss.linearRegression(x.map((v, i) => [i, v])).m`,
  },
  "d3-interpolate": {
    imports: `import { interpolateNumber, interpolateArray, interpolateBasis } from "d3-interpolate";`,
    interpolateNumber: `interpolateNumber(x[0]!, x[1]!)(x[2]!)`,
    interpolateArray: `{ const r = interpolateArray([x[0]!, x[1]!], [x[2]!, x[3]!])(0.3); return r[0]! * r[1]!; }`,
    interpolateBasis: `interpolateBasis(x)(0.3)`,
  },
  "gl-matrix": {
    imports: `import { vec3, mat4, quat } from "gl-matrix";`,
    cross: `{ const o = [0, 0, 0]; vec3.cross(o, [x[0]!, x[1]!, x[2]!], [x[3]!, x[4]!, x[5]!]); return vec3.length(o); }`,
    rotate: `{ const m = new Array<number>(16).fill(0); mat4.identity(m); mat4.rotate(m, m, x[0]!, [1, 2, x[1]!]); const o = [0, 0, 0]; vec3.transformMat4(o, [x[2]!, x[3]!, x[4]!], m); return vec3.length(o); }`,
    setAxisAngle: `{ const q = [0, 0, 0, 1]; quat.setAxisAngle(q, [0, 1, 0], x[0]!); const o = [0, 0, 0]; vec3.transformQuat(o, [x[1]!, x[2]!, x[3]!], q); return o[0]! + 2 * o[2]!; }`,
  },
  "gl-matrix, create": {
    imports: `import { vec3 } from "gl-matrix";`,
    create: `{ const o = vec3.create(); vec3.normalize(o, [x[0]!, x[1]!, x[2]!]); return vec3.dot(o, [1, 2, 3]); }`,
  },
  "ml-matrix": {
    imports: `import { Matrix, solve, determinant } from "ml-matrix";`,
    mmul: `{ const a = new Matrix([[x[0]!, x[1]!], [x[2]!, x[3]!]]); return a.mmul(a).trace(); }`,
    determinant: `determinant(new Matrix([[x[0]!, x[1]!], [x[2]!, x[3]!]]))`,
    solve: `solve(new Matrix([[x[0]!, 1], [2, x[3]!]]), Matrix.columnVector([x[1]!, x[2]!])).get(0, 0)`,
  },
  "bezier-js": {
    imports: `import { Bezier } from "bezier-js";`,
    get: `{ const p = new Bezier(x[0]!, x[1]!, x[2]!, x[3]!, x[4]!, x[5]!).get(0.3); return p.x * p.y; }`,
    length: `new Bezier(x[0]!, x[1]!, x[2]!, x[3]!, x[4]!, x[5]!).length()`,
  },
  three: {
    imports: `import { Vector2, Vector3, Matrix4 } from "three";`,
    cross: `new Vector3(x[0]!, x[1]!, x[2]!).cross(new Vector3(x[3]!, x[4]!, x[5]!)).length()`,
    normalize: `new Vector3(x[0]!, x[1]!, x[2]!).normalize().addScaledVector(new Vector3(1, 2, 3), x[3]!).dot(new Vector3(0, 1, x[4]!))`,
    applyMatrix4: `{ const m = new Matrix4().makeRotationX(x[0]!); return new Vector3(x[1]!, x[2]!, x[3]!).applyMatrix4(m).y; }`,
    multiply: `{ const m = new Matrix4().makeRotationX(x[0]!).multiply(new Matrix4().makeRotationZ(x[1]!)); return new Vector3(x[2]!, x[3]!, x[4]!).applyMatrix4(m).length() * m.determinant(); }`,
    rotateAround: `new Vector2(x[0]!, x[1]!).rotateAround(new Vector2(1, x[2]!), x[3]!).distanceTo(new Vector2(x[4]!, 0))`,
  },
  "three, quaternions": {
    imports: `import { Quaternion, Vector3, MathUtils } from "three";`,
    applyQuaternion: `{ const q = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), x[0]!); return new Vector3(x[1]!, x[2]!, x[3]!).applyQuaternion(q).x; }`,
    lerp: `MathUtils.lerp(x[0]!, x[1]!, x[2]!)`,
  },
  "simplex-noise": {
    imports: `import { createNoise2D } from "simplex-noise"; const noise = createNoise2D(() => 0.3);`,
    noise2D: `noise(x[0]!, x[1]!)`,
  },
  "d3-scale": {
    imports: `import { scaleLinear } from "d3-scale";`,
    scaleLinear: `scaleLinear().domain([0, x[0]!]).range([1, x[1]!])(x[2]!)`,
  },
  "@stdlib": {
    imports: `import erf from "@stdlib/math-base-special-erf"; import gamma from "@stdlib/math-base-special-gamma";`,
    erf: `erf(x[0]!)`,
    gamma: `gamma(x[0]!)`,
  },
  "lodash-es": {
    imports: `import { clamp, sum, meanBy } from "lodash-es";`,
    sum: `sum(x) ** 2`,
    meanBy: `meanBy(x, (v) => v * v)`,
    clamp: `clamp(x[0]!, 0, 2) * x[1]!`,
  },
  mathjs: {
    imports: `import { dot } from "mathjs";`,
    dot: `dot([x[0]!, x[1]!, x[2]!], [x[3]!, x[4]!, x[5]!])`,
  },
};

/** Their functions compute with 32 bits, so steps are longer, and differences right to 1e-3. */
const SINGLE = new Set(["gl-matrix, create"]);
const AT = [0.7, 1.9, 2.3, 3.1, 4.7, 5.2];
/** Of what a package has in one build, in milliseconds. */
const LIMIT = 240_000;

function folder() {
  const { TSGRAD_PACKAGES: given } = process.env;
  if (given !== undefined) return given;
  // not below node_modules: its files are programs, not packages
  const dir = path.join(root, "fixtures/bench/.out/packages");
  if (existsSync(path.join(dir, "node_modules/three"))) return dir;
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    path.join(dir, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies: VERSIONS }),
  );
  const words = ["install", "--no-save", "--no-audit", "--no-fund", "--silent", "--ignore-scripts"];
  execFileSync("npm", words, { cwd: dir, stdio: "inherit" });
  return dir;
}

const sourceOf = (imports, functions) => `import { grad } from "tsgrad";
${imports}
${functions.map(([name, body]) => `export const ${name}_ = (x: number[]): number => ${body};`).join("\n")}
export const all: [string, (x: number[]) => number, (x: number[]) => number[]][] = [
${functions.map(([name]) => `  ["${name}", ${name}_, grad(${name}_)],`).join("\n")}
];
`;

async function bundled(file, isPlain) {
  const module = await import(pathToFileURL(path.join(root, "dist/esbuild.cjs")).href);
  const tsgrad = module.default.default ?? module.default;
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
    absWorkingDir: path.dirname(file),
    alias: {
      tsgrad: path.join(root, "dist/index.js"),
      "tsgrad/delta": path.join(root, "dist/delta.js"),
      "tsgrad/captured": path.join(root, "dist/captured.js"),
    },
    plugins: isPlain ? [] : [tsgrad({ cwd: path.dirname(file) })],
  });
  return outputFiles[0].text;
}

/** Writes, builds and runs some functions of a package; throws where they are refused. */
async function measured(dir, name, functions) {
  const { imports } = PACKAGES[name];
  const stem = path.join(dir, `${name}-${functions[0][0]}`.replace(/[^\w-]/g, ""));
  writeFileSync(`${stem}.ts`, sourceOf(imports, functions));
  writeFileSync(
    path.join(dir, "tsconfig.json"),
    `{ "compilerOptions": { "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true, "types": [], "skipLibCheck": true, "noEmit": true, "allowSyntheticDefaultImports": true }, "files": ["${path.basename(stem)}.ts"] }`,
  );
  const start = performance.now();
  const text = await bundled(`${stem}.ts`, false);
  const took = performance.now() - start;
  writeFileSync(`${stem}.mjs`, text);
  const { all } = await import(pathToFileURL(`${stem}.mjs`).href);
  return all.map(([own, f, d]) => {
    const engine = text.includes(`function ${own}_$grad(`) ? "static" : "delta";
    return { name: own, engine, took, ...checked(f, d, SINGLE.has(name)) };
  });
}

function checked(f, d, isSingle) {
  const step = isSingle ? 1e-2 : 1e-5;
  let worst = 0;
  try {
    const gradient = d([...AT]);
    for (const i of AT.keys()) {
      const moved = (by) => f(AT.map((x, k) => (k === i ? x + by : x)));
      const expected = (moved(step) - moved(-step)) / (2 * step);
      worst = Math.max(worst, Math.abs(gradient[i] - expected) / Math.max(1, Math.abs(expected)));
    }
  } catch (error) {
    return { ratio: NaN, state: `throws ${String(error).slice(0, 80)}` };
  }
  // central differences of functions near 1 are right to 1e-9
  const state =
    worst <= (isSingle ? 1e-3 : 1e-6) ? "right" : `differs by ${worst.toExponential(1)}`;
  return { ratio: ratioOf(f, d), state };
}

/** The median of rounds in which both are timed one after the other. */
function ratioOf(f, d) {
  const time = (run, calls) => {
    const start = performance.now();
    for (let i = 0; i < calls; i++) run(AT);
    return (performance.now() - start) / calls;
  };
  const callsOf = (run) => Math.max(5, Math.min(50_000, Math.round(4 / time(run, 200))));
  const [primal, gradient] = [callsOf(f), callsOf(d)];
  const rounds = Array.from({ length: 15 }, () => time(d, gradient) / time(f, primal));
  return rounds.sort((x, z) => x - z)[7];
}

async function one(name) {
  const dir = path.join(folder(), "programs");
  mkdirSync(dir, { recursive: true });
  const functions = Object.entries(PACKAGES[name]).filter(([own]) => own !== "imports");
  let rows;
  try {
    rows = await measured(dir, name, functions);
  } catch {
    rows = [];
    for (const each of functions)
      try {
        rows.push(...(await measured(dir, name, [each])));
      } catch (error) {
        const [first] = error.errors ?? [];
        const state = `refused: ${(first?.text ?? String(error)).slice(0, 90)}`;
        rows.push({ name: each[0], engine: "-", ratio: NaN, state });
      }
  }
  for (const { name: own, engine, ratio, state, took } of rows)
    console.log(
      `${name.padEnd(20)} ${own.padEnd(18)} ${engine.padEnd(7)} ${(Number.isNaN(ratio) ? "-" : ratio.toFixed(1)).padStart(8)}  ${state}${took === undefined ? "" : ` (build ${(took / 1000).toFixed(1)} s)`}`,
    );
}

const [first, ...others] = process.argv.slice(2);
if (first === "--one") await one(others[0]);
else {
  folder();
  const wanted = first === undefined ? Object.keys(PACKAGES) : [first, ...others];
  for (const name of wanted)
    try {
      const words = [fileURLToPath(import.meta.url), "--one", name];
      const env = { ...process.env, TSGRAD_CACHE: "off" };
      execFileSync(process.execPath, words, { stdio: "inherit", timeout: LIMIT, env });
    } catch {
      console.log(`${name.padEnd(20)} not done in ${LIMIT / 1000} s`);
    }
}
