import { TestEnvironment } from 'jest-environment-node';

/**
 * Tests and what they test are ordinary modules of the process (see `runtime.cjs`); jest's own code runs in a context
 * of its own. It takes the classes of the process for its own, so that `expect.any(Number)` and `toThrow(TypeError)`
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
    // Lines of TypeScript in stack traces: Node maps them, as long as nobody else does.
    Error.prepareStackTrace = undefined;
    process.setSourceMapsEnabled(true);
    // Of jest's 100 frames, which each `expect` takes, no reader wants more.
    Error.stackTraceLimit = 20;
  }
}
