import { SingleBar } from 'cli-progress';
import { Type } from 'typebox';
import { recordAudit } from '../../../shared/audit/record-audit.ts';
import { rebuildIndex } from '../../../shared/search/rebuild-index.ts';
import { opsAction } from '../action.ts';
import { EnvironmentField } from '../actions/fields.ts';

export const searchRebuild = opsAction({
  name: 'search:rebuild',
  summary:
    'Write the search index again where it is missing or of an older version, while searches go on',
  input: Type.Object({
    environment: EnvironmentField,
    all: Type.Optional(
      Type.Boolean({ description: 'Every listing: after a change of the thesaurus.' }),
    ),
  }),
  async run(context, { environment, all }) {
    const bar = new SingleBar({
      format: '{bar} {percentage}% | {value} of {total} written',
      stream: process.stderr,
      noTTYOutput: false,
      hideCursor: true,
      clearOnComplete: true,
    });
    const quiet = process.argv.includes('--json');
    try {
      const { written } = await rebuildIndex(context, {
        environment,
        all,
        onProgress: (soFar, total) => {
          if (soFar === 0 && !quiet) bar.start(total, 0);
          bar.update(soFar);
        },
      });
      await context.db.transact((tx) =>
        recordAudit(
          tx,
          {
            actor: context.actor,
            action: 'search:rebuild',
            subject: environment,
            after: { all: all ?? false, written },
          },
          context.clock.now(),
        ),
      );
      return { environment, written };
    } finally {
      bar.stop();
    }
  },
});
