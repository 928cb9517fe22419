import type { TObject } from 'typebox';
import type { MemberRole } from '../../../shared/people/members/member.ts';
import { fail } from '../../../shared/platform/errors.ts';
import type { PageCommand, PageCommandWith } from '../kit/page-command.ts';
import type { SiteContext, SiteView } from './site-page.ts';

const ADMINS = ['admin'] as const;
const DEVELOPERS = ['admin', 'developer'] as const;

/** Who may run a command on the site, and whether members with a second factor must confirm it first. */
interface CommandAccess {
  roles: readonly MemberRole[];
  /**
   * Whether it issues or widens keys, sends events elsewhere, decides who may do that (including removing a member), or
   * sets where buyers write to or are sent. Revoking a key and resending are not dangerous.
   */
  dangerous: boolean | 'in LIVE';
  /** It only revokes a right. Then it costs the partner no slot: busy keys cannot keep members from it. */
  takesAway?: true;
}

/** Every command of the site. All members may read; while their partner is suspended, none may run a command. */
export const COMMANDS = {
  'endpoint-create': { roles: DEVELOPERS, dangerous: 'in LIVE' },
  'endpoint-change': { roles: DEVELOPERS, dangerous: 'in LIVE' },
  'endpoint-activate': { roles: DEVELOPERS, dangerous: false },
  'endpoint-pause': { roles: DEVELOPERS, dangerous: false, takesAway: true },
  'endpoint-rotate': { roles: DEVELOPERS, dangerous: 'in LIVE' },
  'endpoint-test': { roles: DEVELOPERS, dangerous: false },
  'endpoint-remove': { roles: DEVELOPERS, dangerous: false, takesAway: true },
  'delivery-resend': { roles: DEVELOPERS, dangerous: false },
  'event-resend': { roles: DEVELOPERS, dangerous: false },
  'replay-start': { roles: DEVELOPERS, dangerous: false },
  'replay-cancel': { roles: DEVELOPERS, dangerous: false },
  'clock-move': { roles: DEVELOPERS, dangerous: false },
  'key-create': { roles: DEVELOPERS, dangerous: true },
  'key-change': { roles: DEVELOPERS, dangerous: true },
  'key-rotate': { roles: DEVELOPERS, dangerous: true },
  'key-revoke': { roles: DEVELOPERS, dangerous: false, takesAway: true },
  'delivery-change': { roles: ADMINS, dangerous: true },
  'brand-change': { roles: ADMINS, dangerous: true },
  'member-invite': { roles: ADMINS, dangerous: true },
  'invitation-withdraw': { roles: ADMINS, dangerous: false, takesAway: true },
  'member-role': { roles: ADMINS, dangerous: true },
  'member-remove': { roles: ADMINS, dangerous: true, takesAway: true },
  'second-factor-rule': { roles: ADMINS, dangerous: true },
} as const satisfies Record<string, CommandAccess>;

export type CommandName = keyof typeof COMMANDS;

/** Returns whether a command only revokes a right. */
export function takesAway(name: CommandName): boolean {
  const access: CommandAccess = COMMANDS[name];
  return access.takesAway ?? false;
}

/** A command that members can run. */
export interface SiteCommand extends PageCommand<SiteContext, SiteView> {
  name: CommandName;
}

/** Defines a command whose `run` is typed by its input. */
export function siteCommand<I extends TObject>(
  command: Pick<SiteCommand, 'name'> & PageCommandWith<SiteContext, SiteView, I>,
): SiteCommand {
  return command as unknown as SiteCommand;
}

/** Who asks: a member, in a role at a partner. */
type Asking = Pick<SiteContext, 'partner'>;

/** Returns whether a member may run a command, for pages that show its form. */
export function mayRun(name: CommandName, { partner }: Asking): boolean {
  const roles: readonly MemberRole[] = COMMANDS[name].roles;
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
  const who = new Intl.ListFormat('en', { type: 'disjunction' }).format(COMMANDS[name].roles);
  throw fail('forbidden', { message: `Your role is ${role}. This needs ${who}.` });
}
