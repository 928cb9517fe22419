import { defineStatement } from './sql-statement.ts';
import { nothing, text } from './sql-types.ts';

/** The channel on which workers listen. */
export const WAKE_CHANNEL = 'outbox_wake';

/** Tells the workers these topics. */
export const notifyWorkers = defineStatement({
  params: { topics: text },
  row: { sent: nothing },
  text: `select pg_notify('${WAKE_CHANNEL}', :topics) as sent`,
  plan: 'once',
});
