import { describe, expect, it } from '@jest/globals';
import { QUEUE_NAMES } from '../../shared/messaging/jobs/job-queues.ts';
import { queuesOf } from '../../workers/start-workers.ts';

describe('the worker command line', () => {
  it('serves every queue by default', () => {
    expect(queuesOf([])).toEqual(QUEUE_NAMES);
    expect(queuesOf(['--queues', 'webhooks, transfers'])).toEqual(['webhooks', 'transfers']);
  });

  it('rejects an unknown queue and lists the valid ones', () => {
    expect(() => queuesOf(['--queues', 'webhook'])).toThrow(
      `no queue "webhook"; the queues are ${QUEUE_NAMES.join(', ')}`,
    );
  });
});
