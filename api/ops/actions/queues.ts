import { Type } from 'typebox';
import { queueStatus } from '../../../shared/outbox/queue-status.ts';
import { opsAction } from '../action.ts';

export const queueStatusAction = opsAction({
  name: 'queue:status',
  summary: 'Count what waits in the queues and in the outbox',
  input: Type.Object({}),
  redis: 'asks',
  async run(context) {
    const { queues, backlog } = await queueStatus(context);
    return {
      queues: queues.map(({ queue, counts, oldestWaitingMs }) => ({
        queue,
        counts,
        oldest_waiting_ms: oldestWaitingMs,
      })),
      outbox: {
        backlog: backlog
          .filter(({ state }) => state === 'pending')
          .reduce((sum, { count }) => sum + count, 0),
        by_queue: backlog.map(({ queue, state, count, oldestMs }) => ({
          queue,
          state,
          count,
          oldest_ms: oldestMs,
        })),
      },
    };
  },
});
