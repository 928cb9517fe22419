import { TestEnvironment } from 'jest-environment-node';

/**
 * Tests and the code they test are ordinary modules of the process (see `runtime.cjs`), while jest's own code runs in a
 * separate context. This shares the process's classes with it, so that `expect.any(Number)` and `toThrow(TypeError)`
 * mean the same in both.
 */
export default class SharedClasses extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (typeof globalThis[name] === 'function' && /^[A-Z]/.test(name)) {
        this.global[name] = globalThis[name];
      }
    }
  }

  async setup() {
    await super.setup();
    // Node maps stack traces to TypeScript lines, but only if nothing else does.
    Error.prepareStackTrace = undefined;
    process.setSourceMapsEnabled(true);
    // Jest captures 100 frames for each `expect`; nobody reads more than these.
    Error.stackTraceLimit = 20;
  }
}
