// Which files are JavaScript.

import type ts from "typescript";

export const JAVASCRIPT = /\.[cm]?jsx?$/;

export const isJavaScript = ({ fileName }: ts.SourceFile): boolean => JAVASCRIPT.test(fileName);
