import type { TObject, TProperties } from 'typebox';
import type { Brand } from '../../../shared/messaging/mail/mail-settings.ts';
import type { PartnerOfMember } from '../../../shared/people/members/manage-members.ts';
import type { Caller } from '../../../shared/people/partners/credential.ts';
import type { SessionHolder } from '../../../shared/people/users/user-session.ts';
import type { Markup } from '../../../shared/platform/html.ts';
import type { TimePosition } from '../../../shared/platform/page.ts';
import type { ApiServices } from '../../compose-api.ts';
import { type List, listInput, showList } from '../kit/list.ts';
import type { Refused } from '../kit/page-command.ts';
import type { Page, PageWith } from '../kit/page-group.ts';
import type { PageNow } from '../kit/page-time.ts';
import type { SiteSection } from './site-layout.ts';

/** The context of a site page: who is looking, for which partner, in which environment. */
export interface SiteContext extends ApiServices, Refused {
  now: PageNow;
  user: SessionHolder;
  /** The partner, with the role of the member who looks at the page. */
  partner: PartnerOfMember;
  /** The partner as the caller of its API: reads and changes are restricted to it. */
  owner: Caller;
  /** The base path of its pages: `/partner/ptr_…/sandbox`. */
  base: string;
}

export interface SiteView {
  title: string;
  section: SiteSection | null;
  content: Markup;
  /** After how many seconds the page reloads. */
  refreshSeconds?: number;
  /** Shown on the page as buyers see it. */
  brand?: Brand;
}

/**
 * The clock of a page: `own` is that of the partner's sandbox, for business data; `real` is for what machines wait for,
 * such as deliveries and keys, which no clock moves.
 */
type PageTime = { time: 'own' | 'real' };

/** A page of the site; its path is below that of partner and environment. */
export type SitePage = Page<SiteContext, SiteView> & PageTime;

/** Defines a page whose `show` is typed by its input. */
export function sitePage<I extends TObject>(
  page: PageWith<SiteContext, SiteView, I> & PageTime,
): SitePage {
  return page as unknown as SitePage;
}

/** A list of the site. */
export interface SiteList<F extends TProperties, Row, Sort extends string, Position>
  extends List<F, Row, Sort, Position, SiteContext>,
    PageTime {
  path: string;
  section: SiteSection;
}

/** Defines the page of a list. */
export function siteList<F extends TProperties, Row, Sort extends string, Position = string>(
  list: SiteList<F, Row, Sort, Position>,
): SitePage {
  const file = list.path.replace(/^\//, '').replace(/\W+/g, '-');
  return sitePage({
    path: list.path,
    time: list.time,
    input: listInput(list),
    async show(context, given) {
      const shown = await showList(list, context, given, { path: context.base + list.path, file });
      return 'csv' in shown ? shown : { ...shown, section: list.section };
    },
  });
}

/** The position format of a list by time, for the URL of the next page. */
export const TIME_CURSOR = {
  write: ({ createdAt, id }: TimePosition): string => `${createdAt.getTime()}.${id}`,
  /** Reads an invalid position as the beginning of time, so the page is empty. */
  read(text: string): TimePosition {
    const [at = '', id = ''] = text.split('.');
    return { createdAt: new Date(/^\d{1,15}$/.test(at) ? Number(at) : 0), id };
  },
};
