import { startWorkers } from '../../workers/start-workers.ts';
import { createTestRuntime } from './runtime.ts';
import type { TestSettings } from './settings.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

export type WebhookScene = Awaited<ReturnType<typeof startWebhookScene>>;

/** Starts a runtime, this many workers that deliver its webhooks, and a receiver. */
export async function startWebhookScene(env: TestSettings, workers = 1) {
  const receiver = await startWebhookReceiver();
  const runtime = await createTestRuntime({ outboxPollMs: 50, ...env });
  const startWorker = () => startWorkers(runtime, { queues: ['webhooks'] });
  const fleet = Array.from({ length: workers }, startWorker);
  return {
    runtime,
    receiver,
    fleet,
    startWorker,
    async stop() {
      await receiver.close();
      await Promise.all(fleet.map((worker) => worker.stop()));
      await runtime.stop();
    },
  };
}
