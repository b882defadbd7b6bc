// What is used of `text-readability`, which has no types of its own.

declare module "text-readability" {
  const readability: { fleschReadingEase(text: string): number };
  export default readability;
}
