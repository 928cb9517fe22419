import { Type } from 'typebox';
import { listRefusedHolds } from '../../../shared/domains/domain-registrants/verify-registrant.ts';
import {
  listUnreadMessages,
  markMessageRead,
  type UnreadMessage,
} from '../../../shared/domains/registrar/unread-messages.ts';
import { recordAudit } from '../../../shared/people/audit/audit-log.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import {
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  opsAction,
  route,
} from '../ops-action.ts';

const registryMessages = opsAction({
  name: 'registry:messages',
  summary: 'List the registry messages that staff must read',
  columns: ['id', 'domain', 'fault', 'recorded_at'],
  input: Type.Object({ limit: limitField() }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const { rows } = await listUnreadMessages(context, firstPage('oldest' as const, limit));
    return { messages: rows.map(messageView) };
  },
});

const registryRefusedHolds = opsAction({
  name: 'registry:refused-holds',
  summary: 'List the domains whose suspension or reinstatement in the DNS a registry refused',
  columns: ['domain', 'wanted', 'reason', 'refused_at'],
  input: Type.Object({ limit: limitField() }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const { rows } = await listRefusedHolds(context, firstPage('oldest' as const, limit));
    return {
      holds: rows.map((refused) => ({
        domain: refused.domain,
        order_id: refused.orderId,
        wanted: refused.verification === 'pending' ? 'hold' : 'release',
        reason: refused.refusal,
        refused_at: refused.refusedAt,
      })),
    };
  },
});

export const registryMarkMessageRead = opsAction({
  name: 'registry:mark-message-read',
  summary: 'Mark a registry message as read',
  input: Type.Object({ message: Type.String({ maxLength: 64, description: 'The message ID.' }) }),
  run: ({ db, actor }, { message: id }) =>
    db.transact(async (uow) => {
      const { message, isNews } = await markMessageRead(uow, id);
      const subject = `${message.registry}:${id}`;
      if (isNews) await recordAudit(uow, { actor, action: 'registry:mark-message-read', subject });
      return messageView(message);
    }),
});

function messageView(message: UnreadMessage) {
  return {
    id: message.id,
    registry: message.registry,
    domain: message.domain,
    fault: message.fault,
    text: message.text,
    raw: rawText(message),
    queued_at: message.queuedAt,
    recorded_at: message.recordedAt,
    read_at: message.seenAt,
  };
}

/** Returns the registry's response that carried a message, as text. */
export function rawText({ raw }: Pick<UnreadMessage, 'raw'>): string {
  return new TextDecoder().decode(raw ?? undefined);
}

export const registryRoutes = [
  route('GET', '/refused-holds', 200, registryRefusedHolds, EVERYONE, HARMLESS),
  route('GET', '/registry-messages', 200, registryMessages, EVERYONE, HARMLESS),
  route(
    'POST',
    '/registry-messages/:message/mark-read',
    200,
    registryMarkMessageRead,
    OPERATIONS,
    HARMLESS,
  ),
];
