// Brings node_modules in step with package-lock.json; the other scripts do this by themselves.
import { ensureDependencies } from './lib/dependencies.mjs';
import { main } from './lib/project.mjs';

await main(() => ensureDependencies());
