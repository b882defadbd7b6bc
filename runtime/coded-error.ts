// Errors of derivatives: the code that the message begins with is their `code`, too.

/** `Kind`: RangeError where JavaScript itself would throw one. */
export const codedError = (
  message: string,
  Kind: new (message: string) => Error = Error,
): Error & { readonly code: string } =>
  Object.assign(new Kind(message), { code: message.slice(0, 7) });
