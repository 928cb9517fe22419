import { spawn } from 'node:child_process';

interface Usage {
  cpuMicros: number;
  rssBytes: number;
}

/** A process of the benchmark, built as in production. Its first line on standard output says that it is ready. */
export interface Child {
  /** The JSON that it printed when it was ready. */
  ready: { port: number };
  /** Waits for the next line of JSON. */
  next(): Promise<Record<string, number>>;
  send(message: object): void;
  /** What it has used since it began. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

export async function startChild(script: string, env: Record<string, string>): Promise<Child> {
  const child = spawn('sh', ['scripts/run.sh', script], {
    env: { ...process.env, NODE: process.execPath, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const next = () =>
    new Promise<Record<string, number>>((resolve, reject) => {
      const died = () => reject(new Error(`${script} ended early`));
      child.once('exit', died);
      child.once('message', (message) => {
        child.off('exit', died);
        resolve(message as Record<string, number>);
      });
    });
  const ready = (await next()) as { port: number };
  return {
    ready,
    next,
    send: (message) => void child.send(message),
    async usage() {
      child.send({ ask: 'usage' });
      return (await next()) as unknown as Usage;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
