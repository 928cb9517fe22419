import { Type } from 'typebox';
import type { DeliveryMethod } from '../../../../shared/people/partners/partner.ts';
import { readDeliveryMethod } from '../../../../shared/people/partners/read-partners.ts';
import { html } from '../../../../shared/platform/html.ts';
import { selectField } from '../../kit/form.ts';
import { descriptionList, section } from '../../kit/page-parts.ts';
import { mayRun } from '../site-command.ts';
import { sitePage } from '../site-page.ts';

const METHODS: Readonly<Record<DeliveryMethod, string>> = {
  account: 'The buyer claims it into an account with us',
  partner_registrar: 'You fetch it to your registrar with an authorization code',
};

/** The default for how the domains that the partner sells reach their buyers. */
export const deliverySettingPage = sitePage({
  path: '/delivery',
  time: 'real',
  input: Type.Object({}),
  async show(context) {
    const method = await readDeliveryMethod(context.db.knex, context.owner.partnerId);
    return {
      title: 'Delivery',
      section: 'delivery',
      content: html`<p class="intro">How buyers receive the domains of your LIVE sales. For a single sale, set <code>delivery</code> in <code>POST /v1/orders</code>. Transfers that have started do not change. <a href="/docs/partner-api">Read about deliveries</a></p>
${
  mayRun('delivery-change', context)
    ? section(
        'Settings',
        html`<form class="ask" method="post" action="${context.base}/delivery">
${selectField({
  name: 'method',
  label: 'Sold domains',
  choices: Object.entries(METHODS).map(([value, text]) => ({ value, text })),
  chosen: String(context.refused?.values.method ?? method),
})}
<p class="acts"><button class="primary" type="submit">Save</button></p>
</form>`,
      )
    : descriptionList([['Sold domains', METHODS[method]]])
}`,
    };
  },
});
