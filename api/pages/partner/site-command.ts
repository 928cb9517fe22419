import type { TObject } from 'typebox';
import type { MemberRole } from '../../../shared/people/members/member.ts';
import { fail } from '../../../shared/platform/errors.ts';
import type { PageCommand, PageCommandWith } from '../kit/page-command.ts';
import type { SiteContext, SiteView } from './site-page.ts';

const ADMINS = ['admin'] as const;
const DEVELOPERS = ['admin', 'developer'] as const;

/**
 * Everything that members can do on the site, and who may. All of them may look; while their partner is suspended,
 * none may do more.
 */
export const COMMAND_ROLES = {
  'endpoint-create': DEVELOPERS,
  'endpoint-change': DEVELOPERS,
  'endpoint-activate': DEVELOPERS,
  'endpoint-pause': DEVELOPERS,
  'endpoint-rotate': DEVELOPERS,
  'endpoint-test': DEVELOPERS,
  'endpoint-remove': DEVELOPERS,
  'delivery-resend': DEVELOPERS,
  'event-resend': DEVELOPERS,
  'replay-start': DEVELOPERS,
  'replay-cancel': DEVELOPERS,
  'clock-move': DEVELOPERS,
  'key-create': DEVELOPERS,
  'key-change': DEVELOPERS,
  'key-rotate': DEVELOPERS,
  'key-revoke': DEVELOPERS,
  'brand-change': ADMINS,
  'member-invite': ADMINS,
  'invitation-withdraw': ADMINS,
  'member-role': ADMINS,
  'member-remove': ADMINS,
  'second-factor-rule': ADMINS,
} as const satisfies Record<string, readonly MemberRole[]>;

export type CommandName = keyof typeof COMMAND_ROLES;

/** Something that members can do. */
export interface SiteCommand extends PageCommand<SiteContext, SiteView> {
  name: CommandName;
}

/** A command whose `run` is typed by its input. */
export function siteCommand<I extends TObject>(
  command: Pick<SiteCommand, 'name'> & PageCommandWith<SiteContext, SiteView, I>,
): SiteCommand {
  return command as unknown as SiteCommand;
}

/** Who asks: a member, in a role at a partner. */
type Asking = Pick<SiteContext, 'partner'>;

/** Whether a member may do it, for pages that show its form. */
export function mayRun(name: CommandName, { partner }: Asking): boolean {
  const roles: readonly MemberRole[] = COMMAND_ROLES[name];
  return partner.status === 'active' && roles.includes(partner.role);
}

/** @throws forbidden to members of other roles, partner_not_active while the partner is suspended */
export function assertMayRun(name: CommandName, asking: Asking): void {
  if (mayRun(name, asking)) return;
  const { status, role } = asking.partner;
  if (status !== 'active') {
    throw fail('partner_not_active', {
      message: 'This account is suspended. You can read everything, but change nothing.',
    });
  }
  const who = new Intl.ListFormat('en', { type: 'disjunction' }).format(COMMAND_ROLES[name]);
  throw fail('forbidden', { message: `Your role is ${role}. This needs ${who}.` });
}
