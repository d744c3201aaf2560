import { z } from 'zod';

function nameOf(what: string) {
  return z
    .string()
    .nullable()
    .meta({ description: `The name of the ${what}. \`null\` if there is none, or if it was deleted.` });
}

/** The names beside the ids of a view (`src/engine/admin/names.ts`). */
export const NAMED = {
  account: { account_name: nameOf('account') },
  channel: { channel_name: nameOf('channel') },
  key: { key_name: nameOf('key') },
};
