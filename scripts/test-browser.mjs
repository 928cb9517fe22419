// Runs the page tests in a real browser. Installs Chromium if it is missing and we may use the package manager.
// Arguments are passed to jest: `npm run test:browser -- checkout`. Set SCREENSHOTS to a directory to take screenshots.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { browserProgram } from './lib/browser-install.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { main } from './lib/project.mjs';
import { runJest } from './lib/run-jest.mjs';
import { withShutdown } from './lib/shutdown.mjs';

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    const program = await browserProgram();
    const pictures = process.env.SCREENSHOTS && path.resolve(process.env.SCREENSHOTS);
    if (pictures) mkdirSync(pictures, { recursive: true });
    return runJest(shutdown, process.argv.slice(2), {
      TEST_BROWSER: program,
      ...(pictures && { SCREENSHOTS: pictures }),
    });
  }),
);
