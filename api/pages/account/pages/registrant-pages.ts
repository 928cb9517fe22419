import { Type } from 'typebox';
import { findRegistrant } from '../../../../shared/domains/domain-registrants/registered-for.ts';
import { writeAgain } from '../../../../shared/domains/domain-registrants/verify-registrant.ts';
import { readOwnedDomain } from '../../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../../../shared/domains/owned-domains/owned-domain.ts';
import { conflict } from '../../../../shared/platform/errors.ts';
import { accountCommand } from '../account-page.ts';
import { domainPage } from './domain-page.ts';

/** Resends the mail with which the registrant verifies the address. */
export const resendVerification = accountCommand({
  path: '/domains/:domain/registrant/mail',
  dangerous: false,
  input: Type.Object({ domain: Type.String({ maxLength: 253 }) }),
  page: domainPage,
  async run(context, { domain: name }) {
    const { domain } = await readOwnedDomain(context, context.user.id, name.toLowerCase());
    const found = await findRegistrant(context.db.knex, {
      environment: OWNERS_ENVIRONMENT,
      domain,
    });
    if (!found) throw conflict('invalid_state', 'The domain has no registrant to email.');
    await context.db.transact((uow) => writeAgain(uow, context, found.id));
    return { to: `/account/domains/${domain}`, done: 'We sent the email again.' };
  },
});
