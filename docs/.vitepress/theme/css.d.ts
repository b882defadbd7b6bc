// Vite loads style sheets.

declare module "*.css";
