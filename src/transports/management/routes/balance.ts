import { z } from 'zod';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { balanceView } from '../../../engine/admin/accounts/account-view.ts';
import { type BalanceChange, changeBalance } from '../../../engine/admin/accounts/change-balance.ts';
import { existingAccount } from '../../../engine/admin/accounts/existing-account.ts';
import { entryView, listEntries } from '../../../engine/admin/ledger/list-entries.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import { ENTRY_KINDS } from '../../../engine/ports/ledger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { time } from '../../../providers/shared/file-fields.ts';
import { listAnswer, listSchema } from '../list.ts';
import { accountOf, type ManagementAnswer, type ManagementCall, type ManagementRoute, route } from '../route.ts';

export interface BalanceRoutesOptions {
  readonly store: Pick<Store, 'directory' | 'ledger'>;
  readonly clock: Clock;
}

const TAG = 'Balance';
const TIME = { type: 'string', format: 'date-time' } as const;
const READ = { who: 'account', role: 'viewer', scope: 'balance:read' } as const;
const OPERATOR = { who: 'operator', scope: 'balance:write' } as const;

const BALANCE = z
  .object({
    object: z.literal('balance'),
    account: z.string(),
    balance_usd: z.string(),
    held_usd: z.string().meta({ description: 'What running requests and gateways hold of the balance.' }),
    free_usd: z.string(),
  })
  .meta({ id: 'Balance' });

const CHANGED = BALANCE.extend({
  changed_usd: z.string(),
  already_made: z.boolean().meta({ description: 'It had been made before under the same `Idempotency-Key`.' }),
}).meta({ id: 'ChangedBalance' });

const ENTRY = z
  .object({
    object: z.literal('ledger_entry'),
    id: z.number(),
    at: z.string(),
    account: z.string(),
    key: z.string().nullable(),
    kind: z.enum(ENTRY_KINDS),
    amount_usd: z.string().meta({ description: 'Negative where it was taken.' }),
    request: z.string().nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: 'LedgerEntry' });

const FILTERS = z.strictObject({
  key: z.string().optional().meta({ description: 'The id of the key.' }),
  kind: z.enum(ENTRY_KINDS).optional(),
  from: time.optional().meta(TIME),
  to: time.optional().meta({ ...TIME, description: 'Before this time.' }),
});

const USD = z.string().meta({ description: 'A decimal amount such as `10.50`.' });
const GRANT = z.strictObject({ usd: USD, note: z.string().optional() });
const ADJUSTMENT = z.strictObject({
  usd: USD.meta({ description: 'With its sign: `-2.5` takes.' }),
  note: z.string().meta({ description: 'What it is for.' }),
});

/** `balance` and `ledger`. */
export function balanceRoutes(options: BalanceRoutesOptions): readonly ManagementRoute[] {
  return [...readingRoutes(options), ...changingRoutes(options)];
}

function readingRoutes({ store }: BalanceRoutesOptions): readonly ManagementRoute[] {
  const { directory, ledger } = store;
  return [
    route({
      ...{ method: 'get', path: '/balance', operationId: 'getBalance', tag: TAG, access: READ },
      summary: 'Read the balance',
      answer: { description: 'The balance', schema: BALANCE },
      handle: async (call) => {
        const { id } = await existingAccount(directory, accountOf(call));
        return { body: { object: 'balance', account: id, ...balanceView(await ledger.balance(id)) } };
      },
    }),
    route({
      ...{ method: 'get', path: '/ledger', operationId: 'listLedger', tag: TAG, isList: true, query: FILTERS },
      summary: 'List entries of the ledger',
      description:
        'The newest first. A page may be short although there are more: `has_more` tells, and `next` goes on.',
      access: READ,
      answer: { description: 'A page of entries', schema: listSchema(ENTRY) },
      handle: async (call) => {
        const { limit, after, key, kind, from, to } = call.query;
        const filters = {
          accountId: accountOf(call),
          ...(key !== undefined && { keyId: key }),
          ...(kind !== undefined && { kind }),
          ...(from !== undefined && { fromMs: from }),
          ...(to !== undefined && { toMs: to }),
        };
        const page = await listEntries(ledger, { limit, after, ...filters });
        return listAnswer(page, (entry) => ({ object: 'ledger_entry', ...entryView(entry) }));
      },
    }),
    route({
      ...{ method: 'get', path: '/ledger/verify', operationId: 'verifyLedger', tag: TAG },
      summary: 'Compute all balances again',
      description:
        'Reads the whole ledger and reports what does not match. It takes its time where there are millions of entries.',
      access: { who: 'operator', scope: 'balance:read' },
      answer: {
        description: 'What was found',
        schema: z
          .object({
            object: z.literal('ledger_report'),
            ok: z.boolean(),
            accounts: z.number(),
            entries: z.number(),
            charges: z.number(),
            problems: z.array(z.string()),
          })
          .meta({ id: 'LedgerReport' }),
      },
      handle: async () => {
        const report = await ledger.verify();
        return { body: { object: 'ledger_report', ok: report.problems.length === 0, ...report } };
      },
    }),
  ];
}

function changingRoutes({ store, clock }: BalanceRoutesOptions): readonly ManagementRoute[] {
  const answer = { status: 201, description: 'The balance afterwards', schema: CHANGED };
  const change = async (
    call: ManagementCall,
    what: Pick<BalanceChange, 'kind' | 'usd' | 'note'>,
  ): Promise<ManagementAnswer> => {
    const accountId = accountOf(call);
    const books = { directory: call.directory, ledger: store.ledger, trail: call.trail };
    const idempotencyKey = call.idempotencyKey ?? undefined;
    const { amountNanoUsd, alreadyMade, balance } = await changeBalance(books, clock, {
      ...{ ...what, accountId, idempotencyKey },
    });
    const changed = { changed_usd: formatNanoUsd(amountNanoUsd), already_made: alreadyMade };
    const body = { object: 'balance', account: accountId, ...balanceView(balance), ...changed };
    return alreadyMade ? { body, status: 200 } : { body };
  };
  return [
    route({
      ...{ method: 'post', path: '/balance/grants', operationId: 'grantBalance', tag: TAG, access: OPERATOR, answer },
      summary: 'Add to a balance',
      description: 'For the account that `account_id` names. With an `Idempotency-Key` it is done once, for ever.',
      body: { schema: GRANT, examples: { grant: { summary: '10 USD', value: { usd: '10', note: 'Invoice 7' } } } },
      errors: ['already_exists'],
      handle: (call) => change(call, { kind: 'grant', ...checkInput(GRANT, ['grant'], call.input) }),
    }),
    route({
      ...{ method: 'post', path: '/balance/adjustments', operationId: 'adjustBalance', tag: TAG },
      summary: 'Correct a balance',
      description: 'For the account that `account_id` names. It takes no more than is free of the balance.',
      access: OPERATOR,
      answer,
      body: {
        schema: ADJUSTMENT,
        examples: { back: { summary: 'Taken back', value: { usd: '-2.5', note: 'Granted twice' } } },
      },
      errors: ['already_exists', 'insufficient_balance'],
      handle: (call) => change(call, { kind: 'adjustment', ...checkInput(ADJUSTMENT, ['adjustment'], call.input) }),
    }),
  ];
}
