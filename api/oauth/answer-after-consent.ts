import type { KoaContextWithOIDC } from 'oidc-provider';
import { grantRecords } from '../../shared/oauth/grant-records.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { logProviderError, renderProviderError } from './fault.ts';
import { PATHS } from './paths.ts';

/**
 * Anybody may register a client with any address, so an authorization request alone must not send a browser
 * there (RFC 9700 section 4.11.2). What the library would answer at once, such as a refusal, leaves for the client
 * only when the person signed in at this browser has allowed that client before; others see it on a page of ours.
 */
export function redirectOnlyConsentedClients(runtime: Pick<Runtime, 'db' | 'clock' | 'log'>) {
  const grants = grantRecords(runtime);
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const target = String(ctx.response.get('Location') ?? '');
    // To sign in and to consent is the way to the answer, not the answer.
    if (ctx.path !== PATHS.authorize || target === '' || isInteraction(target)) return;
    const { session, client } = ctx.oidc;
    const answer = answerIn(target);
    try {
      const userId = session?.accountId;
      if (userId && client && (await grants.hasConsent(userId, client.clientId))) return;
    } catch (error) {
      logProviderError(runtime.log, ctx, error as Error);
      answer.error = 'server_error';
    }
    ctx.remove('Location');
    ctx.status = answer.error === 'server_error' ? 503 : 400;
    renderProviderError(ctx, answer);
  };
}

function isInteraction(target: string): boolean {
  return target.startsWith(`${PATHS.interaction}/`);
}

/** What a client would have read out of its address: the query, or the fragment of flows that answer there. */
function answerIn(target: string): { error: string; error_description?: string } {
  const { search, hash } = new URL(target);
  const members = new URLSearchParams(hash === '' ? search : hash.slice(1));
  const description = members.get('error_description');
  return {
    error: members.get('error') ?? 'server_error',
    ...(description !== null && { error_description: description }),
  };
}
