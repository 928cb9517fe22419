import { describe, expect, it } from '@jest/globals';
import { demoDisable, devCredentials } from '../../api/ops/cli/demo-commands.ts';
import { listingImport, tldImport } from '../../api/ops/cli/import-commands.ts';
import { searchRebuild, secretsReencrypt } from '../../api/ops/cli/maintenance-commands.ts';
import type { OpsAction } from '../../api/ops/ops-action.ts';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { QUEUE_NAMES } from '../../shared/delivery/jobs/job-queues.ts';
import { tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

/** Commands that need this machine: they have no row in the ops API. */
const LOCAL_COMMANDS: readonly OpsAction[] = [
  listingImport,
  searchRebuild,
  secretsReencrypt,
  tldImport,
  devCredentials,
  demoDisable,
];

describe('docs/operations.md', () => {
  it('lists every command with its place in the ops API, and no other', () => {
    const listed = tableOf(readProjectFile('docs/operations.md'))
      .filter(({ Command }) => Command !== undefined)
      .map((row) => `${row.Command} ${row['HTTP, below `/ops/api`']} ${row.What}`);
    const served = opsRoutes.map(({ method, path, action }) => {
      const written = path.replace(/:(\w+)/g, '{$1}');
      return `\`${action.name}\` \`${method} ${written}\` ${action.summary}.`;
    });
    const local = LOCAL_COMMANDS.map(({ name, summary }) => `\`${name}\` none ${summary}.`);
    expect(listed.sort()).toEqual([...served, ...local].sort());
  });
});

describe('Procfile', () => {
  const processes = [...readProjectFile('Procfile').matchAll(/^([\w-]+): (.+)$/gm)].map(
    ([, name = '', command = '']) => ({ name, command }),
  );

  it('has a process of its own for every queue, and for nothing else', () => {
    const served = processes
      .map(({ name, command }) => [name, /--queues (\S+)/.exec(command)?.[1]] as const)
      .filter(([, queue]) => queue !== undefined);
    expect(served.sort()).toEqual(
      QUEUE_NAMES.map((queue) => [`worker-${queue}`, queue] as const).toSorted(),
    );
  });

  it('starts files that exist', () => {
    for (const { command } of processes) {
      const file = /\S+\.(ts|sh)/.exec(command)?.[0] ?? '';
      expect(readProjectFile(file)).not.toBe('');
    }
  });
});
