// Runs one of our programs from its build; started by scripts/run.sh.
import cluster from 'node:cluster';
import module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtProgram } from './build.mjs';
import { tellSourcePlaces } from './source-places.mjs';

// Processes that the program forks start here, too.
if (cluster.isPrimary) cluster.setupPrimary();
const [program] = process.argv.splice(2, 1);
const file = await builtProgram(program);
// Caches compiled code for the next start (Node 22 and later).
module.enableCompileCache?.(path.join(path.dirname(file), 'compiled'));
process.argv[1] = file;
tellSourcePlaces(file);
await import(pathToFileURL(file).href);
