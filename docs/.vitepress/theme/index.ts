// VitePress's own theme, with code and tables set a little smaller: lines of 80 characters fit.

import DefaultTheme from "vitepress/theme";
import "./style.css";

export default DefaultTheme;
