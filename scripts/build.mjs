// Builds the programs of a production into dist/; `sh scripts/run.sh` does so, too, where that was not done.
import { buildPrograms } from './lib/build.mjs';
import { main } from './lib/project.mjs';

await main(buildPrograms);
