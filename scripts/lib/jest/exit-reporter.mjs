const patienceMs = 20_000;

/**
 * A test that leaves a connection or a server open keeps jest from ending, for ever. This ends it,
 * as a failure: the timer does not count as a reason to stay, so it only fires when something else is.
 */
export default class ExitReporter {
  constructor(globalConfig) {
    this.watching = globalConfig.watch || globalConfig.watchAll;
  }

  onRunComplete() {
    if (this.watching) return;
    const timer = setTimeout(() => {
      process.stderr.write(
        'A test left something open (a connection, server or timer); run it with --detectOpenHandles.\n',
      );
      process.exit(1);
    }, patienceMs);
    timer.unref();
  }
}
