import { z } from 'zod';
import { ENTRY_KINDS } from '../../../engine/ports/ledger.ts';

/** The output of `entryView`. */
export const LEDGER_ENTRY = {
  id: z.number(),
  at: z.string(),
  account: z.string(),
  key: z.string().nullable(),
  kind: z.enum(ENTRY_KINDS),
  amount_usd: z.string().meta({ description: 'Negative for a deduction.' }),
  request: z.string().nullable(),
  note: z.string().nullable(),
};
