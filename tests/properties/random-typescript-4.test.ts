// Random programs, part 4 of 4: standing.ts says what is done.

import { standingPrograms } from "./standing.ts";

standingPrograms(3);
