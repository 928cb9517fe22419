import { describe, expect, it } from '@jest/globals';
import { QUEUE_NAMES } from '../../shared/messaging/jobs/job-queues.ts';
import { queuesOf } from '../../workers/start-workers.ts';

describe('the command line of a worker', () => {
  it('serves every queue unless told otherwise', () => {
    expect(queuesOf([])).toEqual(QUEUE_NAMES);
    expect(queuesOf(['--queues', 'webhooks, transfers'])).toEqual(['webhooks', 'transfers']);
  });

  it('names the queues there are when it is told of another', () => {
    expect(() => queuesOf(['--queues', 'webhook'])).toThrow(
      `no queue "webhook"; the queues are ${QUEUE_NAMES.join(', ')}`,
    );
  });
});
