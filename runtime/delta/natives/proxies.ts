// Proxies that rewritten code makes. Traps run in their rewritten form, with the ids of values.
// What has no trap goes to the target, which has the ids of its own places.

import { lookBehind, type Behind } from "../behind.ts";
import { applied, constructed, deltaOf, handle, handleNew, link } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { isView } from "../handles.ts";
import { ret } from "../register.ts";
import { get, member, set, setterOf } from "../shadows.ts";
import { isRecording } from "../store.ts";
import { failure, type Id, type Value } from "../value.ts";
import { setIds } from "./elements.ts";
import { define, defineValue } from "./objects.ts";

interface Parts {
  readonly target: Value;
  readonly handler: Value;
}

const proxies = /* @__PURE__ */ new WeakMap<object, Parts>();

/** Traps whose values have no ids. */
const REFUSED = ["getOwnPropertyDescriptor"];
const REFUSED_OF_LISTS = ["getOwnPropertyDescriptor", "defineProperty", "get", "set"];

function noted<P extends object>(made: P, target: Value, handler: Value): P {
  const isList = Array.isArray(target) || isView(target);
  const refused = (isList ? REFUSED_OF_LISTS : REFUSED).find((trap) => trap in handler);
  if (refused !== undefined)
    throw failure(
      "TSG0010",
      `a \`Proxy\`${isList ? " of a list" : ""} has the trap \`${refused}\`, through which no derivative passes; ${isList ? "write a class with methods that read and write the list" : "use the traps `get` and `set`"}`,
    );
  proxies.set(made, { target, handler });
  lookBehind(BY_TRAPS);
  if (deltaOf(target) !== undefined) linkCalls(made, target, handler);
  return made;
}

/** Fields of a class, and natives, would run the plain trap of definitions during a run. */
function watched(handler: Value): Value {
  if (!("defineProperty" in Object(handler))) return handler;
  const refuse = (): never => {
    throw failure(
      "TSG0010",
      "a field of a class, or a function of the language, runs the trap `defineProperty` of a `Proxy`; write an assignment or `Object.defineProperty`",
    );
  };
  return new Proxy(handler, {
    get: (of, key): Value => {
      if (key === "defineProperty" && isRecording()) return refuse;
      const trap: Value = of[key];
      return typeof trap === "function" ? trap.bind(of) : trap;
    },
  });
}

function linkCalls(made: Value, target: Value, handler: Value): void {
  link(made, function (this: Value, ids: Id[], ...args: Value[]): Value {
    const isNew = new.target !== undefined;
    const trap = get(handler, isNew ? "construct" : "apply");
    if (trap === undefined)
      return isNew ? constructed(target, args, ids) : applied(target, this, args, ids);
    setIds(args, ids);
    return applied(trap, handler, [target, ...(isNew ? [args, made] : [this, args])], []);
  });
}

const nameOf = (key: Value): PropertyKey => (typeof key === "symbol" ? key : String(key));

const BY_TRAPS: Behind = {
  target: (o) => proxies.get(o)?.target,
  get: (o, key, receiver) => {
    const { target, handler } = proxies.get(o) ?? { target: o, handler: {} };
    const trap = get(handler, "get");
    return trap === undefined
      ? member(target, key, receiver)
      : applied(trap, handler, [target, nameOf(key), receiver], []);
  },
  set: (o, key, value, valueId, receiver) => {
    const { target, handler } = proxies.get(o) ?? { target: o, handler: {} };
    const trap = get(handler, "set");
    const name = nameOf(key);
    if (trap !== undefined) {
      if (!applied(trap, handler, [target, name, value, receiver], [0, 0, valueId, 0]))
        throw new TypeError(`'set' on proxy: trap returned falsish for property '${String(name)}'`);
      return;
    }
    const setter = setterOf(target, name);
    if (setter !== undefined) applied(setter, receiver, [value], [valueId]);
    else if (!("defineProperty" in handler)) set(target, key, value, valueId);
    else if (!defineValue(o, name, value, valueId))
      throw new TypeError(
        `'defineProperty' on proxy: trap returned falsish for property '${String(name)}'`,
      );
  },
  define: (o, key, descriptor) => {
    const { target, handler } = proxies.get(o) ?? { target: o, handler: {} };
    const trap = get(handler, "defineProperty");
    return trap === undefined
      ? define(target, key, descriptor)
      : Boolean(applied(trap, handler, [target, nameOf(key), descriptor], []));
  },
};

export const proxied: Family = () => {
  handleNew(Proxy, (_target, [target, handler]) =>
    ret(noted(new Proxy(target, watched(handler)), target, handler), 0),
  );
  handle(Proxy.revocable, (_self, [target, handler]) => {
    const made = Proxy.revocable(target, watched(handler));
    noted(made.proxy, target, handler);
    link(made.revoke, () => {
      proxies.delete(made.proxy);
      made.revoke();
      return ret(undefined, 0);
    });
    return ret(made, 0);
  });
};
