import { Type } from 'typebox';
import { moveClock, parseMove } from '../../../shared/operations/sandbox-clock/move-clock.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { formatInstant } from '../kit/format.ts';
import { clockPage } from './pages/site-clock-page.ts';
import { type SiteCommand, siteCommand } from './site-command.ts';

const Text = Type.Optional(Type.String({ maxLength: 30 }));

const move = siteCommand({
  name: 'clock-move',
  path: '/clock',
  input: Type.Object({ by: Text, to: Text }),
  page: clockPage,
  async run(context, given) {
    const { owner, user, base } = context;
    if (owner.environment === 'LIVE') {
      throw fail('forbidden', {
        message: 'LIVE uses real time. Move your sandbox clock instead.',
      });
    }
    const wanted = parseMove(given);
    const { target, now } = await context.db.transactFor(owner.partnerId, (uow) =>
      moveClock(uow, user.id, owner.partnerId, wanted),
    );
    const done = `The clock is moving to ${formatInstant(target ?? now)}.`;
    return { to: `${base}/clock`, done };
  },
});

/** The commands on a partner's sandbox clock. */
export const clockCommands: readonly SiteCommand[] = [move];
