import { LOCAL_COMMANDS } from '../../api/ops/cli/run-command.ts';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { QUEUE_NAMES } from '../../shared/messaging/jobs/job-queues.ts';
import { code, codes, table } from './markdown.ts';

/** The table and the list in docs/operations.md. */
export const operationBlocks = {
  queues: () => codes(QUEUE_NAMES),
  commands: () =>
    table(
      ['Command', 'HTTP, below `/ops/api`', 'What it does'],
      [
        ...opsRoutes.map(({ method, path, action, dangerous }) => [
          code(action.name) + (dangerous ? '†' : ''),
          code(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
          `${action.summary}.`,
        ]),
        ...LOCAL_COMMANDS.map(({ name, summary }) => [code(name), 'none', `${summary}.`]),
      ],
    ),
};
