import { z } from 'zod';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { balanceView, existingAccount } from '../../../engine/admin/accounts/read-accounts.ts';
import { type BalanceChange, changeBalance } from '../../../engine/admin/ledger/change-ledger.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { accountOf, type ManagementCall, type ManagementRoute, route } from '../route.ts';

export interface BalanceRoutesOptions {
  readonly store: Pick<Store, 'directory' | 'ledger'>;
  readonly clock: Clock;
}

const TAG = 'Balance';
const READ = { who: 'account', role: 'viewer', scope: 'balance:read' } as const;
const OPERATOR = { who: 'operator', scope: 'balance:write' } as const;

const BALANCE = z
  .object({
    object: z.literal('balance'),
    account: z.string(),
    balance_usd: z.string(),
    held_usd: z
      .string()
      .meta({ description: 'The part of the balance that is reserved for requests or leased by gateways.' }),
    free_usd: z.string(),
  })
  .meta({ id: 'Balance' });

const CHANGED = BALANCE.extend({
  changed_usd: z.string(),
  already_made: z.boolean().meta({ description: 'Whether it was made before with the same `Idempotency-Key`.' }),
}).meta({ id: 'ChangedBalance' });

const USD = z.string().meta({ description: 'A decimal amount such as `10.50`.' });
const GRANT = z.strictObject({ usd: USD, note: z.string().optional() });
const ADJUSTMENT = z.strictObject({
  usd: USD.meta({ description: 'Signed: `-2.5` reduces the balance.' }),
  note: z.string().meta({ description: 'The reason.' }),
});

/** Returns `balance`: reading it, and operators' changes. */
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
        return { body: { object: 'balance' as const, account: id, ...balanceView(await ledger.balance(id)) } };
      },
    }),
  ];
}

function changingRoutes({ store, clock }: BalanceRoutesOptions): readonly ManagementRoute[] {
  const answer = { status: 201, description: 'The new balance', schema: CHANGED };
  const change = async (call: ManagementCall, what: Pick<BalanceChange, 'kind' | 'usd' | 'note'>) => {
    const accountId = accountOf(call);
    const ports = { directory: call.directory, ledger: store.ledger, trail: call.trail };
    const idempotencyKey = call.idempotencyKey ?? undefined;
    const { amountNanoUsd, alreadyMade, balance } = await changeBalance(ports, clock, {
      ...{ ...what, accountId, idempotencyKey },
    });
    const changed = { changed_usd: formatNanoUsd(amountNanoUsd), already_made: alreadyMade };
    const body = { object: 'balance' as const, account: accountId, ...balanceView(balance), ...changed };
    return alreadyMade ? { body, status: 200 } : { body };
  };
  return [
    route({
      ...{ method: 'post', path: '/balance/grants', operationId: 'grantBalance', tag: TAG, access: OPERATOR, answer },
      summary: 'Add credit to a balance',
      description:
        'For the account that `account_id` names. With an `Idempotency-Key`, it is done only once, without a time limit.',
      body: { schema: GRANT, examples: { grant: { summary: '10 USD', value: { usd: '10', note: 'Invoice 7' } } } },
      errors: ['already_exists', 'not_found'],
      handle: (call) => change(call, { kind: 'grant', ...checkInput(GRANT, ['grant'], call.input) }),
    }),
    route({
      ...{ method: 'post', path: '/balance/adjustments', operationId: 'adjustBalance', tag: TAG },
      summary: 'Correct a balance',
      description:
        'For the account that `account_id` names. A negative adjustment cannot exceed the available balance.',
      access: OPERATOR,
      answer,
      body: {
        schema: ADJUSTMENT,
        examples: { back: { summary: 'Taken back', value: { usd: '-2.5', note: 'Granted twice' } } },
      },
      errors: ['already_exists', 'not_found', 'insufficient_balance'],
      handle: (call) => change(call, { kind: 'adjustment', ...checkInput(ADJUSTMENT, ['adjustment'], call.input) }),
    }),
  ];
}
