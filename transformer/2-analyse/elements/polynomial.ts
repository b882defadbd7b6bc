// Integer polynomials over names, as sums of monomials with their factors. No factor is 0.

/** The factor of each monomial. A monomial is its sorted names; "" is the constant. */
export type Polynomial = ReadonlyMap<string, number>;

export const constant = (value: number): Polynomial => new Map(value === 0 ? [] : [["", value]]);
export const variable = (name: string): Polynomial => new Map([[name, 1]]);

/** `x + by * z` */
export function plus(x: Polynomial, z: Polynomial, by = 1): Polynomial {
  const sum = new Map(x);
  for (const [monomial, factor] of z) {
    const both = (sum.get(monomial) ?? 0) + by * factor;
    if (both === 0) sum.delete(monomial);
    else sum.set(monomial, both);
  }
  return sum;
}

export function times(x: Polynomial, z: Polynomial): Polynomial {
  let product: Polynomial = new Map();
  for (const [monomial, factor] of z)
    product = plus(
      product,
      new Map(
        [...x].map(([one, by]) => [
          namesOf(one).concat(namesOf(monomial)).sort().join(TIMES),
          by * factor,
        ]),
      ),
    );
  return product;
}

/** The monomials with a name, each divided by it. */
export const cofactors = (
  x: Polynomial,
  name: string,
): readonly { readonly factor: number; readonly others: Polynomial }[] =>
  [...x].flatMap(([monomial, factor]) => {
    const names = namesOf(monomial);
    const at = names.indexOf(name);
    return at < 0 ? [] : [{ factor, others: new Map([[names.toSpliced(at, 1).join(TIMES), 1]]) }];
  });

export const variablesOf = (x: Polynomial): ReadonlySet<string> =>
  new Set([...x.keys()].flatMap(namesOf));

export const isSame = (x: Polynomial, z: Polynomial): boolean => plus(x, z, -1).size === 0;

const TIMES = "*";
const namesOf = (monomial: string): readonly string[] =>
  monomial === "" ? [] : monomial.split(TIMES);
