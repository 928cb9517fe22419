// Runs the tests of the pages in a real browser. Chromium is installed when it is missing and the
// system's package manager may be used. Arguments go to jest: `npm run test:browser -- checkout`.
// SCREENSHOTS names a directory to keep the pictures in; otherwise they go to a temporary one.
import { mkdirSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { browserProgram } from './lib/browser-install.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { main, say } from './lib/project.mjs';
import { runJest } from './lib/run-jest.mjs';
import { withShutdown } from './lib/shutdown.mjs';

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    const program = await browserProgram();
    const pictures = process.env.SCREENSHOTS || mkdtempSync(path.join(os.tmpdir(), 'dm-pictures-'));
    mkdirSync(pictures, { recursive: true });
    const code = await runJest(shutdown, process.argv.slice(2), {
      TEST_BROWSER: program,
      SCREENSHOTS: path.resolve(pictures),
    });
    say(`Screenshots: ${pictures}`);
    return code;
  }),
);
