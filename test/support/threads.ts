import type { Worker } from 'node:worker_threads';

/** The worker threads that this process starts from now on. */
export interface Threads {
  started: readonly Worker[];
  /** Returns the threads that have not ended yet. */
  running(): Promise<Worker[]>;
  /** Stops watching. */
  stop(): void;
}

export function watchThreads(): Threads {
  const started: Worker[] = [];
  const ended = new Set<Worker>();
  const notice = (thread: Worker) => {
    started.push(thread);
    thread.once('exit', () => ended.add(thread));
  };
  process.on('worker', notice);
  return {
    started,
    async running() {
      // The exit event of a thread fires one turn later.
      await new Promise(setImmediate);
      return started.filter((thread) => !ended.has(thread));
    },
    stop() {
      process.off('worker', notice);
    },
  };
}
