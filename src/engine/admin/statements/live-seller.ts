import type { BillingDetails } from '../../../domain/access/billing-details.ts';
import type { SettingFields, SettingsStore } from '../../ports/settings-store.ts';
import { billingDetailsFrom, billingDetailsSchema } from '../schema/billing-details.ts';
import { layered } from '../settings/leaves.ts';

/** Resolves to the details of the gateway's operator on statements; `null` for none. */
export type Seller = () => Promise<BillingDetails | null>;

/**
 * Returns the seller in force, which needs no restart: statements are rare, so each reads the store.
 *
 * @param written the section of the configuration file, which wins
 */
export function liveSeller(settings: Pick<SettingsStore, 'read'>, written: SettingFields): Seller {
  return async () => {
    const stored = (await settings.read()).seller ?? {};
    const parsed = billingDetailsSchema.safeParse(layered(stored, written));
    // A section that is not valid may come from a newer version.
    return billingDetailsFrom(parsed.success ? parsed.data : billingDetailsSchema.parse(written));
  };
}
