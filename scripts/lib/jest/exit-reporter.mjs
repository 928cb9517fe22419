const patienceMs = 20_000;

/**
 * Fails the run if a test leaves a connection or a server open, which would keep jest running forever. The timer itself
 * doesn't keep the process alive, so it only fires if something else does.
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
