import cluster, { type Worker } from 'node:cluster';
import { MINUTE } from '../shared/platform/clock.ts';
import { backoffMs } from '../shared/platform/concurrency/backoff.ts';
import type { Config } from '../shared/platform/config/config.ts';
import type { Logger } from '../shared/platform/observability/logger.ts';

/** The message that tells a web process to stop. A signal from the terminal reaches the process directly as well. */
const STOP = 'stop';
const RESTART = { firstMs: 500, maxMs: 30_000 };
/** A process that lived this long did not die from a failed start. */
const HEALTHY_MS = MINUTE;

/** Returns whether this process only supervises the WEB_CONCURRENCY web processes, and serves nothing itself. */
export function supervisesWebProcesses({ webConcurrency }: Pick<Config, 'webConcurrency'>) {
  return cluster.isPrimary && webConcurrency > 1;
}

/**
 * Runs WEB_CONCURRENCY processes of this program. They share PORT (connections are distributed round-robin), and each
 * serves its metrics on its own port, counting up from METRICS_PORT. A process that dies is restarted, with a back-off
 * that grows with each failure in a row. Exits when all processes have left: after a signal, or with an error code when
 * one dies before any listens.
 */
export function superviseWebProcesses(
  { webConcurrency, metricsPort }: Pick<Config, 'webConcurrency' | 'metricsPort'>,
  log: Logger,
): void {
  const running = new Set<Worker>();
  const restarts = new Set<NodeJS.Timeout>();
  let listened = false;
  let stopping = false;
  let exitCode = 0;

  const start = (slot: number, failures: number) => {
    const startedAt = performance.now();
    const port = metricsPort === 0 ? 0 : metricsPort + slot;
    const worker = cluster.fork({ METRICS_PORT: String(port) });
    running.add(worker);
    worker.once('listening', () => {
      listened = true;
    });
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (stopping || !listened) {
        exitCode ||= code ?? 1;
        stop();
        return;
      }
      const inARow = performance.now() - startedAt > HEALTHY_MS ? 1 : failures + 1;
      const delayMs = Math.round(backoffMs(inARow, RESTART));
      log.error({ slot, code, signal, delayMs }, 'web process died; it is started again');
      const timer = setTimeout(() => {
        restarts.delete(timer);
        start(slot, inARow);
      }, delayMs);
      restarts.add(timer);
    });
  };

  const stop = (signal?: NodeJS.Signals) => {
    // A second signal is passed on unchanged: it ends a process that is draining.
    if (stopping && signal) for (const { process } of running) process.kill(signal);
    if (!stopping) {
      stopping = true;
      for (const timer of restarts) clearTimeout(timer);
      for (const worker of running) if (worker.isConnected()) worker.send(STOP);
    }
    if (running.size === 0) process.exit(exitCode);
  };

  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  for (let slot = 0; slot < webConcurrency; slot += 1) start(slot, 0);
}

/** Calls `leave` when the supervising process asks for it, or has died and can no longer hand over connections. */
export function onSupervisorStop(leave: (reason: string) => void): void {
  process.on('message', (message) => {
    if (message === STOP) leave('supervisor');
  });
  process.once('disconnect', () => leave('supervisor is gone'));
}
