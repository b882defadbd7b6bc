type Files = Readonly<Record<string, string>>;
export declare const RUNTIME: Files;
export declare const ALONE: Files;
export declare const TOOLS: Files;
export declare const STARTERS: Files;
export declare const PROGRAMS: Files;
