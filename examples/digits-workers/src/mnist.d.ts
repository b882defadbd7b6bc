/** As much of the package's interface as this example uses; it brings no types. */
declare module "mnist" {
  /** For each digit about 1,000 images of 28 × 28 pixels in [0, 1], one after the other. */
  const digits: { raw: number[]; length: number }[];
  export default digits;
}
