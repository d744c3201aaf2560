import { z } from 'zod';
import { type BillingDetails, MOST_ADDRESS_LINES } from '../../../domain/access/billing-details.ts';
import { listOf, MAP, text } from '../../../providers/shared/file-fields.ts';
import { name } from './fields.ts';
import { email } from './people.ts';

const line = text('must be a line of 1 to 200 characters', /^(?=.*\S)[^\p{Cc}]{1,200}$/u);

/** The details of the seller (the section `seller`) and of an account on statements. */
export const billingDetailsSchema = z.strictObject(
  {
    name: name.nullish(),
    address: listOf(line, 'lines', MOST_ADDRESS_LINES).nullish(),
    tax_id: text('must be a tax id of 1 to 64 characters', /^(?=.*\S)[^\p{Cc}]{1,64}$/u).nullish(),
    email: email.nullish(),
  },
  MAP,
);

/** Returns the details, or `null` if nothing is set. */
export function billingDetailsFrom(
  details: z.output<typeof billingDetailsSchema> | null | undefined,
): BillingDetails | null {
  if (details == null) return null;
  const { name = null, address, tax_id: taxId = null, email: mail = null } = details;
  const lines = address ?? [];
  if (name === null && lines.length === 0 && taxId === null && mail === null) return null;
  return { name, address: lines, taxId, email: mail };
}

/** Returns the details in the form of their schema. */
export function billingDetailsFields({ name, address, taxId, email: mail }: BillingDetails) {
  return { name, address, tax_id: taxId, email: mail };
}
