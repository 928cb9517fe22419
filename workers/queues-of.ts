import { parseArgs } from 'node:util';
import { isQueueName, QUEUE_NAMES, type QueueName } from '../shared/platform/queues.ts';

/** The queues of `--queues a,b`; all of them without the option. @throws Error naming an unknown one */
export function queuesOf(argv: readonly string[]): readonly QueueName[] {
  const { values } = parseArgs({ args: [...argv], options: { queues: { type: 'string' } } });
  if (values.queues === undefined) return QUEUE_NAMES;
  const names = values.queues.split(',').map((name) => name.trim());
  return names.map((name) => {
    if (isQueueName(name)) return name;
    throw new Error(`there is no queue "${name}"; the queues are ${QUEUE_NAMES.join(', ')}`);
  });
}
