import { Type } from 'typebox';
import { createBulkJob } from '../../../shared/domains/bulk/bulk-job-lifecycle.ts';
import type { BulkAction } from '../../../shared/domains/bulk/bulk-operations.ts';
import { previewBulk } from '../../../shared/domains/bulk/check-items.ts';
import { answerOnce } from '../../../shared/messaging/unit-of-work/idempotency.ts';
import { conflict } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { randomBase64Url } from '../../../shared/platform/ids.ts';
import { requireWithinLimit } from '../../http/rate-limit.ts';
import type { AccountContext } from './account-page.ts';
import { domainPath } from './pages/owned-domain-parts.ts';

/** Identifies a form, so that submitting it twice starts its action once. */
export const FormKey = Type.String({ minLength: 16, maxLength: 64 });

export function newFormKey(): string {
  return randomBase64Url(16);
}

/** Returns a new form key as a hidden field. */
export function formKeyField(): Markup {
  return html`<input type="hidden" name="key" value="${newFormKey()}">`;
}

/** Starts a change of domains, once even if sent twice. Returns the id of its job. @throws rate_limited */
export async function startChange(
  context: AccountContext,
  form: { path: string; key: string; action: BulkAction; domains: readonly string[] },
): Promise<string> {
  const { path, key, action, domains } = form;
  const { id: userId } = context.user;
  const caller = { kind: 'user', bucket: userId, userId, clientId: 'account', scopes: [] } as const;
  requireWithinLimit(await context.limits.take('bulk', caller));
  const scope = { credential: userId, method: 'POST', path, key };
  const { text } = await answerOnce(context, userId, scope, { action, domains }, async (uow) => {
    const wanted = { userId, action, domains, dryRun: false };
    const { id } = await createBulkJob(uow, context.config, wanted);
    return { status: 303, text: JSON.stringify({ id }) };
  });
  return (JSON.parse(text) as { id: string }).id;
}

/**
 * Starts a change of one domain, unless it would be refused, and returns the path of its page, which shows the result.
 * @throws conflict, validation_error, rate_limited
 */
export async function startDomainChange(
  context: AccountContext,
  { domain, action, key }: { domain: string; action: BulkAction; key: string },
): Promise<{ to: string }> {
  const { id: userId } = context.user;
  const [told] = await previewBulk(context, { userId, action, domains: [domain] });
  if (told?.state !== 'ok') throw conflict('invalid_state', told?.message ?? '');
  const path = domainPath(domain, `/change/${action.op}`);
  const id = await startChange(context, { path, key, action, domains: [domain] });
  return { to: domainPath(domain, `?change=${id}`) };
}
