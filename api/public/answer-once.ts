import { type Answer, answerOnce } from '../../shared/idempotency/answer-once.ts';
import type { Tx } from '../../shared/platform/db.ts';
import type { Reply } from '../http/reply.ts';
import type { PublicContext } from './route.ts';

/**
 * The answer of a write in one transaction; with a key, the same answer to every request of this user with
 * that key and body. `path` is the whole one, without a version.
 * @throws conflict (`key_reused`)
 */
export async function replyIdempotently(
  context: PublicContext,
  request: { userId: string; key: string | undefined; path: string; body: unknown },
  work: (tx: Tx) => Promise<Answer>,
): Promise<Reply> {
  const { userId, key, path, body } = request;
  if (key === undefined) {
    const { status, body: text } = await context.db.transactFor(userId, work);
    return { status, text };
  }
  const scope = { credential: userId, method: 'POST', path, key };
  const answer = await answerOnce(context, userId, scope, body, async (tx, keep) =>
    keep(await work(tx)),
  );
  return {
    status: answer.status,
    text: answer.body,
    ...(answer.replayed && { headers: { 'Idempotent-Replayed': 'true' } }),
  };
}
