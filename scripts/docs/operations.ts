import { demoDisable, devCredentials } from '../../api/ops/cli/demo-commands.ts';
import {
  listingImport,
  tldImport,
  transferPolicyImport,
} from '../../api/ops/cli/import-commands.ts';
import { searchRebuild, secretsReencrypt } from '../../api/ops/cli/maintenance-commands.ts';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { QUEUE_NAMES } from '../../shared/messaging/jobs/job-queues.ts';
import { code, codes, table } from './markdown.ts';

/** Commands that only run on this machine: the ops API does not have them. */
const LOCAL_COMMANDS = [
  listingImport,
  searchRebuild,
  secretsReencrypt,
  tldImport,
  transferPolicyImport,
  devCredentials,
  demoDisable,
];

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
