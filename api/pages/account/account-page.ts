import type { TObject, TProperties } from 'typebox';
import type { SignInOrigin } from '../../../shared/people/users/sign-in-failure.ts';
import type { SessionHolder } from '../../../shared/people/users/user-session.ts';
import type { Markup } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import type { PublicLimits } from '../../public/public-limits.ts';
import { type List, listInput, showList } from '../kit/list.ts';
import type { PageCommand, PageCommandWith, Refused } from '../kit/page-command.ts';
import type { Page, PageWith } from '../kit/page-group.ts';
import type { PageNow } from '../kit/page-time.ts';
import type { AccountSection } from './account-layout.ts';

/** The context of an account page: the signed-in user, whose domains, jobs and apps are the only ones shown. */
export interface AccountContext extends ApiServices, Refused {
  now: PageNow;
  user: SessionHolder;
  /** The session and the request's origin, for pages that ask users to confirm their identity. */
  token: string;
  from: SignInOrigin;
  /** The limits of the public API: changing domains here takes a slot there. */
  limits: PublicLimits;
}

export interface AccountView {
  title: string;
  section: AccountSection;
  content: Markup;
  /** The page's modules; one that follows a job may connect to us. */
  scripts?: readonly ('selection.js' | 'job-progress.js')[];
}

/** A page of an account; its path is below `/account`. */
export type AccountPage = Page<AccountContext, AccountView>;

/** Defines a page whose `show` is typed by its input. */
export function accountSitePage<I extends TObject>(
  page: PageWith<AccountContext, AccountView, I>,
): AccountPage {
  return page as unknown as AccountPage;
}

/** Defines the page of a list. */
export function accountList<F extends TProperties, Row, Sort extends string, Position = string>(
  list: List<F, Row, Sort, Position, AccountContext> &
    Pick<AccountView, 'section' | 'scripts'> & { path: string },
): AccountPage {
  const { path, section, scripts = [] } = list;
  return accountSitePage({
    path,
    input: listInput(list),
    async show(context, given) {
      const place = { path: `/account${path}`, file: path.slice(1) };
      const shown = await showList(list, context, given, place);
      return 'csv' in shown ? shown : { ...shown, section, scripts };
    },
  });
}

/** An action of the signed-in user on their own data. */
export interface AccountCommand extends PageCommand<AccountContext, AccountView> {
  /** Whether users with a second factor must confirm it first, as before changing domains or prices. */
  dangerous: boolean;
}

/** Defines a command whose `run` is typed by its input. */
export function accountCommand<I extends TObject>(
  command: Pick<AccountCommand, 'dangerous'> & PageCommandWith<AccountContext, AccountView, I>,
): AccountCommand {
  return command as unknown as AccountCommand;
}
