import type pg from 'pg';
import type { BudgetPurse, LedgerReport } from '../../engine/ports/ledger.ts';
import { ledgerProblems, toldProblems } from '../shared/ledger-problems.ts';
import { fromBudgetPlace } from '../shared/tables/budget-spending.ts';
import { awayOrOwn } from './connection.ts';

/** One kind of problem: the rows that show it, and how each is told. Sums are numeric, which is read as text. */
interface Check {
  readonly sql: string;
  readonly tell: (row: Row) => string;
}

type Row = Readonly<Record<string, bigint | string | null>>;

/** Charges from before this may be in archives. */
const HORIZON = '(select coalesce(max(before_ms), 0) from ledger_checkpoints)';

const CHECKS: readonly Check[] = [
  {
    sql: `
      with parts as (
          select account_id, amount_nano from ledger_entries union all select account_id, amount_nano from ledger_archived
        ),
        sums as (select account_id, sum(amount_nano) as total from parts group by account_id)
      select account_id, coalesce(balance_nano, 0) as balance, coalesce(total, 0) as total
        from balances full join sums using (account_id)
        where coalesce(balance_nano, 0) <> coalesce(total, 0) order by account_id`,
    tell: (row) => ledgerProblems.balance(text(row, 'account_id'), amount(row, 'balance'), amount(row, 'total')),
  },
  {
    sql: `
      select account_id, balance_nano from balances join accounts on accounts.id = account_id
        where billing = 'prepaid' and balance_nano < 0 order by account_id`,
    tell: (row) => ledgerProblems.negative(text(row, 'account_id'), amount(row, 'balance_nano')),
  },
  {
    sql: `
      select account_id, balance_nano, leased_nano from balances join accounts on accounts.id = account_id
        where billing = 'prepaid' and balance_nano >= 0 and leased_nano > balance_nano order by account_id`,
    tell: (row) =>
      ledgerProblems.accountLease(text(row, 'account_id'), amount(row, 'leased_nano'), amount(row, 'balance_nano')),
  },
  {
    sql: `
      with parts as (
          select account_id, key_id, amount_nano from ledger_entries where kind = 'charge' and key_id is not null
          union all select account_id, key_id, amount_nano from ledger_archived where key_id <> ''
        ),
        sums as (select account_id, key_id, -sum(amount_nano) as total from parts group by account_id, key_id)
      select account_id, key_id, coalesce(spent_nano, 0) as spent, coalesce(total, 0) as total
        from key_spending full join sums using (account_id, key_id)
        where coalesce(spent_nano, 0) <> coalesce(total, 0) order by account_id, key_id`,
    tell: (row) =>
      ledgerProblems.spending(text(row, 'account_id'), text(row, 'key_id'), amount(row, 'spent'), amount(row, 'total')),
  },
  {
    sql: `
      with kept as (
          select account_id, key_id, amount_nano from leases
          union all select account_id, '', from_balance_nano from holds where state = 'open' and from_balance_nano > 0
          union all select account_id, key_id, from_limit_nano from holds where state = 'open' and from_limit_nano > 0
        ),
        held as (select account_id, key_id, sum(amount_nano) as held from kept group by account_id, key_id),
        counted as (
          select account_id, '' as key_id, leased_nano from balances
          union all select account_id, key_id, leased_nano from key_spending
        )
      select account_id, key_id, coalesce(leased_nano, 0) as leased, coalesce(held, 0) as held
        from counted full join held using (account_id, key_id)
        where coalesce(leased_nano, 0) <> coalesce(held, 0) order by account_id, key_id`,
    tell: (row) =>
      ledgerProblems.nodeLeases(
        text(row, 'account_id'),
        text(row, 'key_id') || null,
        amount(row, 'leased'),
        amount(row, 'held'),
      ),
  },
  {
    // Every charge counts in all periods that it belongs to, if there is a row for them.
    sql: `
      select * from (
        select account_id, key_id, starts_at_ms, ends_at_ms, spent_nano as spent, (
          select coalesce(-sum(amount_nano), 0) from ledger_entries e
            where e.account_id = p.account_id and e.kind = 'charge' and (p.key_id = '' or e.key_id = p.key_id)
              and coalesce(counted_at_ms, at_ms) >= p.starts_at_ms and coalesce(counted_at_ms, at_ms) < p.ends_at_ms
        ) as total
        from budget_spending p where starts_at_ms >= ${HORIZON}
      ) sums
        where spent <> total order by account_id, key_id, starts_at_ms`,
    tell: (row) => ledgerProblems.budget(purseOf(row), amount(row, 'spent'), amount(row, 'total')),
  },
  {
    sql: `
      with kept as (
          select account_id, key_id, starts_at_ms, ends_at_ms, amount_nano from budget_leases
          union all
          select h.account_id, b.key_id, b.starts_at_ms, b.ends_at_ms, b.held_nano from holds h, jsonb_to_recordset(h.budgets::jsonb)
              as b (key_id text, starts_at_ms bigint, ends_at_ms bigint, held_nano bigint)
            where h.state = 'open' and h.budgets is not null
        ),
        held as (
          select account_id, key_id, starts_at_ms, ends_at_ms, sum(amount_nano) as held from kept
            where amount_nano > 0 group by 1, 2, 3, 4
        )
      select account_id, key_id, starts_at_ms, ends_at_ms, coalesce(leased_nano, 0) as leased, coalesce(held, 0) as held
        from budget_spending full join held using (account_id, key_id, starts_at_ms, ends_at_ms)
        where coalesce(leased_nano, 0) <> coalesce(held, 0) order by account_id, key_id, starts_at_ms`,
    tell: (row) => ledgerProblems.budgetLeases(purseOf(row), amount(row, 'leased'), amount(row, 'held')),
  },
  {
    // A hold is charged once it is settled, and what it says; until then, and where it was released, nothing.
    sql: `
      select h.hold_id, h.account_id, h.state, h.charged_nano, coalesce(-e.amount_nano, 0) as booked_nano
        from holds h left join ledger_entries e on e.idempotency_key = 'charge:' || h.hold_id
        where (h.state = 'open' or h.closed_at_ms >= ${HORIZON}) and (
          h.charged_nano <> coalesce(-e.amount_nano, 0)
          or e.account_id <> h.account_id or (e.sequence is not null and e.key_id is distinct from h.key_id)
        )
        order by h.hold_id`,
    tell: (row) =>
      ledgerProblems.holdCharge(
        text(row, 'hold_id'),
        text(row, 'account_id'),
        text(row, 'state'),
        amount(row, 'charged_nano'),
        amount(row, 'booked_nano'),
      ),
  },
  {
    sql: `
      select request_id, min(account_id) as account_id, count(*) as charges from ledger_entries
        where kind = 'charge' group by request_id having count(*) > 1 order by request_id`,
    tell: (row) =>
      ledgerProblems.chargedTwice(text(row, 'request_id'), text(row, 'account_id'), amount(row, 'charges')),
  },
  {
    sql: `
      select sequence, account_id from ledger_entries
        where kind = 'charge' and idempotency_key is distinct from 'charge:' || request_id order by sequence`,
    tell: (row) => ledgerProblems.malformed(amount(row, 'sequence'), text(row, 'account_id')),
  },
  {
    // A charge without a line is no problem: the log does not wait for the disk, so a crash may lose its last lines. Nor is a
    // line without a charge whose request cost nothing: nothing is written then.
    sql: `
      select l.request_id, l.account_id, l.key_id, l.cost_nano, -e.amount_nano as charged_nano,
          e.account_id as charged_account_id, e.key_id as charged_key_id
        from request_log l left join ledger_entries e on e.idempotency_key = 'charge:' || l.request_id
        where l.cost_nano is not null and l.at_ms >= ${HORIZON} and (
          case when e.sequence is null then l.cost_nano <> 0 else
            -e.amount_nano <> l.cost_nano
            or e.account_id is distinct from l.account_id or e.key_id is distinct from l.key_id
          end
        )
        order by l.id`,
    tell: tellLine,
  },
];

const COUNTS = `
  select count(distinct account_id) as accounts, count(*) as entries, count(*) filter (where kind = 'charge') as charges,
      (select coalesce(sum(entries), 0) from ledger_archived) as archived
    from ledger_entries`;

/** Instead of the pool's, which is meant for statements that read a few rows. */
const TIMEOUT_MS = 3_600_000;
/** Nobody reads more; of so many problems the cause is one. */
const MAX_ROWS = 10_000;

/** Adds everything up as of one moment, while gateways go on. */
export async function verifyLedger(pool: pg.Pool): Promise<LedgerReport> {
  const client = await pool.connect().catch((error) => {
    throw awayOrOwn(error);
  });
  try {
    await client.query(`begin isolation level repeatable read read only; set local statement_timeout = ${TIMEOUT_MS}`);
    const counts = (await read(client, COUNTS))[0] ?? {};
    const problems: string[] = [];
    for (const { sql, tell } of CHECKS) {
      problems.push(...toldProblems((await read(client, `${sql} limit ${MAX_ROWS}`)).map(tell)));
    }
    return {
      accounts: Number(amount(counts, 'accounts')),
      entries: Number(amount(counts, 'entries')),
      charges: Number(amount(counts, 'charges')),
      archived: Number(amount(counts, 'archived')),
      problems,
    };
  } catch (error) {
    throw awayOrOwn(error);
  } finally {
    // Nothing was changed, so the transaction may end with the connection.
    client.release(true);
  }
}

async function read(client: pg.PoolClient, sql: string): Promise<Row[]> {
  const query: pg.QueryConfig & { readonly query_timeout: number } = { text: sql, query_timeout: TIMEOUT_MS };
  return (await client.query<Row>(query)).rows;
}

function tellLine(row: Row): string {
  const requestId = text(row, 'request_id');
  const accountId = nullableText(row, 'account_id');
  const chargedAccountId = nullableText(row, 'charged_account_id');
  const cost = amount(row, 'cost_nano');
  if (chargedAccountId === null) return ledgerProblems.notCharged(requestId, accountId, cost);
  const charged = amount(row, 'charged_nano');
  if (charged !== cost) return ledgerProblems.otherCharge(requestId, accountId, cost, charged);
  const [keyId, chargedKeyId] = [nullableText(row, 'key_id'), nullableText(row, 'charged_key_id')];
  return ledgerProblems.otherPurse(requestId, accountId, keyId, chargedAccountId, chargedKeyId);
}

function purseOf(row: Row): BudgetPurse {
  const starts_at_ms = amount(row, 'starts_at_ms');
  const ends_at_ms = amount(row, 'ends_at_ms');
  return fromBudgetPlace({
    account_id: text(row, 'account_id'),
    key_id: text(row, 'key_id'),
    starts_at_ms,
    ends_at_ms,
  });
}

function text(row: Row, column: string): string {
  return String(row[column] ?? '');
}

function nullableText(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

function amount(row: Row, column: string): bigint {
  return BigInt(row[column] ?? 0n);
}
