import { z } from 'zod';

/** The output of `billingDetailsFields`. */
export const BILLING_DETAILS = z
  .object({
    name: z.string().nullable().meta({ description: 'The legal name.' }),
    address: z.array(z.string()).meta({ description: 'The lines of the postal address.' }),
    tax_id: z.string().nullable(),
    email: z.string().nullable(),
  })
  .meta({ id: 'BillingDetails' });
