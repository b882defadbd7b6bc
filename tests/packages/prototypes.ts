// What code of a test does to objects of the language is taken back: other files of tests share the
// process. Out: a function that restores what was there.

export function savedPrototypes(): () => void {
  const objects = new Set<object>();
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value: unknown = Reflect.getOwnPropertyDescriptor(globalThis, name)?.value;
    if (typeof value !== "function") continue;
    const { prototype }: { readonly prototype?: unknown } = value;
    objects.add(value);
    if (typeof prototype === "object" && prototype !== null) objects.add(prototype);
  }
  const saved = new Map(
    [...objects].map((object) => [object, Object.getOwnPropertyDescriptors(object)] as const),
  );
  return () => {
    for (const [object, before] of saved)
      for (const key of Reflect.ownKeys(object)) {
        const own = Reflect.getOwnPropertyDescriptor(before, key)?.value as
          PropertyDescriptor | undefined; // `before` holds descriptors alone
        if (own === undefined) Reflect.deleteProperty(object, key);
        else if (own.configurable === true) Reflect.defineProperty(object, key, own);
      }
  };
}
