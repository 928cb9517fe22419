// Builds the production programs into dist/; `sh scripts/run.sh` also does that if they are not built yet.
import { buildPrograms } from './lib/build.mjs';
import { main } from './lib/project.mjs';

await main(buildPrograms);
