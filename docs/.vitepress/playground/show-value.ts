// Prints a value as a console does: on one line, with limits on depth and length.

const DEEPEST = 5;
const LONGEST = 60;

export function showValue(value: unknown, depth = 0): string {
  if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function")
    return value.name === "" ? "[function]" : `[function ${value.name}]`;
  if (typeof value !== "object" || value === null)
    return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (depth > DEEPEST) return "…";
  return showObject(value, depth + 1);
}

function showObject(value: object, depth: number): string {
  if (Array.isArray(value)) return list("[", value, "]", depth);
  const name = value.constructor?.name ?? "";
  if (ArrayBuffer.isView(value) && Symbol.iterator in value)
    return `${name} ${list("[", value as unknown as ArrayLike<number>, "]", depth)}`;
  if (value instanceof Set) return `Set ${list("{", [...value], "}", depth)}`;
  const entries: readonly (readonly [unknown, unknown])[] =
    value instanceof Map ? [...value] : Object.entries(value);
  const shown = entries
    .slice(0, LONGEST)
    .map(([key, each]) => `${keyText(key, depth)}: ${showValue(each, depth)}`);
  if (entries.length > LONGEST) shown.push(`… ${entries.length - LONGEST} more`);
  const body = shown.length === 0 ? "{}" : `{ ${shown.join(", ")} }`;
  return name === "Object" || name === "" ? body : `${name} ${body}`;
}

const keyText = (key: unknown, depth: number): string =>
  typeof key === "string" && /^[\w$]+$/.test(key) ? key : showValue(key, depth);

function list(open: string, values: ArrayLike<unknown>, close: string, depth: number): string {
  const shown = Array.from({ length: Math.min(values.length, LONGEST) }, (_, i) =>
    showValue(values[i], depth),
  );
  if (values.length > LONGEST) shown.push(`… ${values.length - LONGEST} more`);
  return open + shown.join(", ") + close;
}
