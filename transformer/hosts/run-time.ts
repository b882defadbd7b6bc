// What modules of packages with twins import.

export const RUN_TIME = /^tsgrad\/delta(?:-higher)?$/;
