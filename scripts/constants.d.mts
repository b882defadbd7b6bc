// What tests know of constants.mjs.

export function withConstants(text: string): string;
