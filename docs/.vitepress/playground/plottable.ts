// Which functions of a module can be plotted, and the code that hands them to the runner. Input: a
// program. Output: functions of one number, and of two: `(x, y)`, `[x, y]` or `{ x, y }`.

import type ts from "typescript";
import type { Plottable } from "./messages.ts";

type TypeScript = typeof ts;

export function plottableIn(api: TypeScript, program: ts.Program, file: string): Plottable[] {
  const source = program.getSourceFile(file);
  const checker = program.getTypeChecker();
  return (source?.statements ?? []).flatMap((statement) => {
    const names = api.isFunctionDeclaration(statement)
      ? [statement.name]
      : api.isVariableStatement(statement)
        ? statement.declarationList.declarations.map(({ name }) => name)
        : [];
    return names.flatMap((name) => {
      if (name === undefined || !api.isIdentifier(name)) return [];
      const type = checker.getTypeAtLocation(name);
      const [signature, ...more] = type.getCallSignatures();
      if (signature === undefined || more.length > 0 || signature.typeParameters !== undefined)
        return [];
      const found = formOf(api, checker, signature, name);
      return found === null ? [] : [{ name: name.text, ...found }];
    });
  });
}

function formOf(
  api: TypeScript,
  checker: ts.TypeChecker,
  signature: ts.Signature,
  at: ts.Node,
): Omit<Plottable, "name"> | null {
  const isNumber = (type: ts.Type): boolean => (type.flags & api.TypeFlags.Number) !== 0;
  if (!isNumber(signature.getReturnType())) return null;
  const params = signature.parameters;
  const types = params.map((param) => checker.getTypeOfSymbolAtLocation(param, at));
  const [first] = types;
  if (first === undefined || types.length > 2) return null;
  const axes = params.map(({ name }) => name);
  if (types.every(isNumber)) return { form: types.length === 1 ? "curve" : "numbers", axes };
  if (types.length > 1) return null;
  if (checker.isTupleType(first)) {
    const elements = checker.getTypeArguments(first as ts.TypeReference); // a tuple's type is one
    return elements.length === 2 && elements.every(isNumber)
      ? { form: "pair", axes: ["0", "1"].map((i) => `${axes[0] ?? ""}[${i}]`) }
      : null;
  }
  const fields = first.getProperties();
  if (fields.length !== 2 || first.getCallSignatures().length > 0) return null;
  const areNumbers = fields.every((field) =>
    isNumber(checker.getTypeOfSymbolAtLocation(field, at)),
  );
  return areNumbers ? { form: "record", axes: fields.map(({ name }) => name) } : null;
}

/** The export that holds the functions and their gradients. */
export const PLOTS = "plots_of_the_playground";

/** Code after a module's own: each function, and what makes its gradient. */
export function plotCode(plottable: readonly Plottable[]): string {
  const rows = plottable.map(({ name, form }) => {
    const options = form === "numbers" ? ", { argnums: [0, 1] }" : "";
    return `${JSON.stringify(name)}: { f: ${name}, gradient: () => gradient_of_a_plot(${name}${options}) }`;
  });
  return `\nimport { grad as gradient_of_a_plot } from "tsgrad";\nexport const ${PLOTS} = { ${rows.join(", ")} };\n`;
}
