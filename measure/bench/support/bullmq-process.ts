import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { profileUntilExit } from './profile.ts';

// A plain BullMQ worker with no-op jobs.
const connection = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null });
let wanted = 0;
let before = process.cpuUsage();
const worker = new Worker('bare', async () => {}, {
  connection,
  prefix: process.env.REDIS_PREFIX ?? '',
  concurrency: 64,
});
worker.on('completed', () => {
  wanted -= 1;
  if (wanted !== 0) return;
  const { user, system } = process.cpuUsage(before);
  process.send?.({ cpuMicros: user + system });
});
process.on('message', (message: { wanted?: number }) => {
  if (message.wanted === undefined) return;
  wanted = message.wanted;
  before = process.cpuUsage();
});
await worker.waitUntilReady();
profileUntilExit('bullmq');
process.send?.({ port: 0 });
process.once('SIGTERM', async () => {
  await worker.close();
  connection.disconnect();
  process.exit(0);
});
