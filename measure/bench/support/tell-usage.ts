/** Answers the parent's `{ask: 'usage'}` with the CPU time and memory of this process. */
export function tellUsage(): void {
  process.on('message', (message: { ask?: string }) => {
    if (message.ask !== 'usage') return;
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system, rssBytes: process.memoryUsage.rss() });
  });
}
