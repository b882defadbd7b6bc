// A ts-patch transformer with the stand-in core; tests bundle it into their sandboxes.

import { programTransformer } from "../../transformer/hosts/ts-patch.ts";
import { fakeCore } from "./fake-core.ts";

export default programTransformer(fakeCore);
