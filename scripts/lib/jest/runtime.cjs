const { register, registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');
const JestRuntime = require('jest-runtime').default;

let loading;

/**
 * Loads test files as Node loads any module. Packages and product are so read once a worker; jest alone reads them anew
 * for every test file. Of 39 test files, run in turn on two busy cores, that took 153 s of processor time, this 118 s.
 */
class NativeModules extends JestRuntime {
  #mocker;
  #globals;

  constructor(config, environment, ...rest) {
    super(config, environment, ...rest);
    this.#mocker = environment.moduleMocker;
  }

  setGlobalsForRuntime(globals) {
    this.#globals = globals;
  }

  unstable_shouldLoadAsEsm(file) {
    return file.endsWith('.ts') || super.unstable_shouldLoadAsEsm(file);
  }

  async unstable_importModule(file) {
    loading ??= registerLoaders();
    const { useGlobals } = await loading;
    const mocker = this.#mocker;
    const jest = {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
    };
    useGlobals({ ...this.#globals, jest });
    await import(pathToFileURL(file).href);
  }
}

/** Node from 22.18 on takes types away itself, and calls hooks without a thread of their own. */
async function registerLoaders() {
  if (process.features.typescript) {
    registerHooks(await import('./resolve.mjs'));
  } else {
    const typescript = await import('tsx/esm/api');
    typescript.register();
    register('./resolve.mjs', pathToFileURL(__filename));
  }
  return import('./globals.mjs');
}

module.exports = { __esModule: true, default: NativeModules };
