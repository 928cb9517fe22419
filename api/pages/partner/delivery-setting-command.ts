import { Type } from 'typebox';
import { DELIVERY_METHODS } from '../../../shared/people/partners/partner.ts';
import { setDeliveryMethod } from '../../../shared/people/partners/partner-lifecycle.ts';
import { deliverySettingPage } from './pages/site-delivery-setting-page.ts';
import { siteCommand } from './site-command.ts';

/** Sets how the domains that the partner sells reach their buyers. */
export const changeDelivery = siteCommand({
  name: 'delivery-change',
  path: '/delivery',
  input: Type.Object({ method: Type.Enum([...DELIVERY_METHODS]) }),
  page: deliverySettingPage,
  async run(context, { method }) {
    const { partnerId } = context.owner;
    await setDeliveryMethod(context, context.user.id, { partnerId, method });
    return { to: `${context.base}/delivery`, done: 'The delivery setting is saved.' };
  },
});
