import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  changeRegistrant,
  lockDaysOf,
} from '../../../shared/domains/domain-registrants/change-registrant.ts';
import { isMaterialChange } from '../../../shared/domains/domain-registrants/domain-registrant.ts';
import {
  findRegistrant,
  openRegistrant,
} from '../../../shared/domains/domain-registrants/registered-for.ts';
import { readOwnedDomain } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import {
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
} from '../../../shared/domains/owned-domains/owned-domain.ts';
import { readRegistrant } from '../../../shared/domains/registrants/read-registrant.ts';
import { draftOf, type Registrant } from '../../../shared/domains/registrants/registrant.ts';
import type { RegistrantRules } from '../../../shared/market/tlds/tld.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import type { FieldError } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { registrantRulesFor } from '../../../shared/sales/orders/order-registrant.ts';
import type { ApiServices } from '../../compose-api.ts';
import { toServiceError } from '../../http/error-response.ts';
import { formFields } from '../../http/form-body.ts';
import { formatDay } from '../kit/format.ts';
import { link, notice } from '../kit/page-parts.ts';
import { realPageNow } from '../kit/page-time.ts';
import {
  draftOfForm,
  formOf,
  type RegistrantForm,
  registrantFields,
  registrantProblems,
} from '../kit/registrant-form.ts';
import { accountPage } from './account-layout.ts';
import { requireAccount, requireFresh, signedInOf } from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { textsIn } from './link-by-mail.ts';
import { domainPath } from './pages/owned-domain-parts.ts';
import { registrantFacts } from './pages/registrant-section.ts';

const PATH = '/domains/:domain/registrant';

/** A domain of the signed-in owner, with its registrant. */
interface Shown {
  owned: OwnedDomain;
  known: Registrant | undefined;
  rules: RegistrantRules;
}

/**
 * Serves the pages on which an owner changes a domain's registrant: a form, a review that explains the consequences,
 * and the change. Users with a second factor confirm it before the form, so that nothing has to be typed twice.
 */
export function registrantChangeRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const pageOf = ({ params }: Request) => `/account${pathOf(String(params.domain))}`;
  const guards: RequestHandler[] = [requireAccount(runtime), requireFresh(runtime, pageOf)];
  const read = async (req: Request, res: Response): Promise<Shown> => {
    const name = String(req.params.domain).toLowerCase();
    const owned = await readOwnedDomain(runtime, signedInOf(res).user.id, name);
    const { domain } = owned;
    const found = await findRegistrant(runtime.db.knex, {
      environment: OWNERS_ENVIRONMENT,
      domain,
    });
    const known = found && openRegistrant(runtime, found);
    return { owned, known, rules: await registrantRulesFor(runtime.tlds, domain) };
  };
  const send = (
    res: Response,
    { owned }: Shown,
    title: string,
    content: Markup,
    error?: string,
  ) => {
    res.locals.route = `/account${PATH}`;
    const { domain, unicode } = owned;
    const page = html`<p>${link(domainPath(domain), unicode)}</p>\n${content}`;
    const { email } = signedInOf(res).user;
    const of = { title: `${title}: ${unicode}`, section: 'domains', email, content: page } as const;
    res.type('html').send(accountPage({ ...of, error }));
  };
  const ask = (
    res: Response,
    shown: Shown,
    typed: RegistrantForm,
    { faults = [], error }: { faults?: readonly FieldError[]; error?: string } = {},
  ) => {
    const asked = { rules: shown.rules, typed, faults };
    const form = html`${registrantProblems(asked)}
<p class="intro">The person or organization that the domain belongs to, as recorded at the registry. You can use any script.</p>
<form class="ask" method="post" action="/account${pathOf(shown.owned.domain)}" novalidate>
${registrantFields(asked)}
<p class="acts"><button class="primary" type="submit">Review</button> <a class="button link" href="${domainPath(shown.owned.domain)}">Cancel</a></p>
</form>`;
    send(res, shown, 'Registrant', form, error);
  };

  router.get(PATH, guards, async (req: Request, res: Response) => {
    const shown = await read(req, res);
    ask(res, shown, shown.known ? formOf(draftOf(shown.known)) : {});
  });

  router.post(PATH, guards, async (req: Request, res: Response) => {
    const shown = await read(req, res);
    const typed = textsIn(formFields(req));
    const registrant = readOrAsk(shown, typed, (faults) =>
      ask(res.status(422), shown, typed, { faults }),
    );
    if (!registrant) return;
    const { domain } = shown.owned;
    const isMaterial = isMaterialChange(shown.known, registrant);
    const now = realPageNow(runtime);
    const days = isMaterial ? await lockDaysOf(runtime, domain, now) : 0;
    send(
      res,
      shown,
      'Registrant',
      html`${whatFollows(isMaterial, days, addMs(now, days * DAY))}
${registrantFacts(registrant)}
<form method="post" action="/account${pathOf(domain)}/change">
${Object.entries(typed).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}
<p class="acts"><button class="primary" type="submit">${isMaterial ? 'Change the registrant' : 'Save the correction'}</button> <a class="button link" href="/account${pathOf(domain)}">Back</a></p>
</form>`,
    );
  });

  router.post(`${PATH}/change`, guards, async (req: Request, res: Response) => {
    const shown = await read(req, res);
    const typed = textsIn(formFields(req));
    const registrant = readOrAsk(shown, typed, (faults) =>
      ask(res.status(422), shown, typed, { faults }),
    );
    if (!registrant) return;
    const { id: userId } = signedInOf(res).user;
    const { domain } = shown.owned;
    try {
      await runtime.db.transactFor(userId, (uow) =>
        changeRegistrant(uow, runtime, { userId, domain, registrant }),
      );
    } catch (thrown) {
      ask(res, shown, typed, { error: refusalOf(thrown, res) });
      return;
    }
    res.redirect(303, domainPath(domain));
  });
  return router;
}

const pathOf = (domain: string) => PATH.replace(':domain', domain);

/** Returns the registrant of a form, or reports its faults through `say`. */
function readOrAsk(
  { rules }: Shown,
  typed: RegistrantForm,
  say: (faults: readonly FieldError[]) => void,
): Registrant | undefined {
  try {
    return readRegistrant(draftOfForm(typed), rules, '');
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.code !== 'validation_error') throw thrown;
    say(error.details as FieldError[]);
    return undefined;
  }
}

/** Returns the consequences of a change, before it is confirmed. */
function whatFollows(isMaterial: boolean, days: number, until: Date): Markup {
  if (!isMaterial) {
    return notice({
      tone: 'neutral',
      title: 'This is a correction',
      content: 'Name, organization and email address stay the same, so the domain is not locked.',
    });
  }
  return notice({
    tone: 'wait',
    title: 'This changes the registrant',
    content: html`${days > 0 && html`The domain is locked against transfers and sales for ${String(days)} days, until ${formatDay(until)}. `}We email the old and the new registrant. A new email address must be verified within 15 days, or the domain leaves the DNS.`,
  });
}
