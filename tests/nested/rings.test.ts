// Second derivatives through objects that lead back to themselves, some of which nothing varies: their tangents are zeros of rings. Oracle: differences of the gradient.

import { expect, it } from "vitest";
import { built, emittedErrors } from "./compiled.ts";

const DECLARATIONS = `import { grad, jvp, vjp } from "tsgrad";
class Link {
  prev: Link | null = null;
  next: Link | null = null;
  constructor(public key: number, public value: number) {}
}
class Recent {
  head: Link | null = null;
  tail: Link | null = null;
  links = new Map<number, Link>();
  constructor(private most: number) {}
  touch(link: Link): void {
    if (this.head === link) return;
    this.unlink(link);
    this.front(link);
  }
  unlink(link: Link): void {
    if (link.prev) link.prev.next = link.next; else this.head = link.next;
    if (link.next) link.next.prev = link.prev; else this.tail = link.prev;
    link.prev = link.next = null;
  }
  front(link: Link): void {
    link.next = this.head;
    if (this.head) this.head.prev = link;
    this.head = link;
    if (!this.tail) this.tail = link;
  }
  put(key: number, value: number): void {
    const known = this.links.get(key);
    if (known) {
      known.value = value;
      this.touch(known);
      return;
    }
    const link = new Link(key, value);
    this.links.set(key, link);
    this.front(link);
    if (this.links.size > this.most) {
      const last = this.tail!;
      this.unlink(last);
      this.links.delete(last.key);
    }
  }
  get(key: number): number | undefined {
    const link = this.links.get(key);
    if (link) this.touch(link);
    return link?.value;
  }
}
function f(x: number, y: number): number {
  const recent = new Recent(2);
  recent.put(1, Math.sin(x));
  recent.put(2, x * y);
  let sum = recent.get(1) ?? 0;
  recent.put(3, y * y);
  sum += (recent.get(2) ?? x * 10) * 3 + (recent.get(3) ?? 0);
  for (let at = recent.head; at; at = at.next) sum = sum * y + at.value;
  return sum;
}
`;

it("a doubly linked list", () => {
  const { exports, text } = built(`${DECLARATIONS}
const slope = (y: number) => (x: number): number => grad((own: number) => f(own, y))(x);
export const at = (x: number): number => slope(1.3)(x);
export const pushed = (x: number): number => jvp(grad((own: number) => f(own, 1.3)))([x], [1])[1];
export const pulled = (x: number): number => { const alone = (own: number) => f(own, 1.3); return vjp(grad(alone))(x)[1](1)[0]; };
`);
  const call = (name: string, x: number): number => {
    const form = exports[name];
    return typeof form === "function" ? Number(form(x)) : NaN;
  };
  const h = 1e-4;
  const difference = (call("at", 0.7 + h) - call("at", 0.7 - h)) / (2 * h);
  expect(Math.abs(difference)).toBeGreaterThan(0.1);
  expect(call("pushed", 0.7)).toBeCloseTo(difference, 5);
  expect(call("pulled", 0.7)).toBeCloseTo(difference, 5);
  expect(emittedErrors(text)).toEqual([]);
});
