import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { Client, types } from 'pg';
import { asObject, parseJson } from '../shared/json.ts';
import { until } from '../shared/until.ts';
import type { MoneyBed } from './bed.ts';
import type { Receipt } from './client.ts';

/* The gateway's books, read from its tables without the code that wrote them. */

export interface Entry {
  readonly idempotency_key: string;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly kind: string;
  readonly amount_nano: bigint;
  readonly request_id: string | null;
}

export interface Leased {
  readonly pool: string;
  readonly account_id: string;
  readonly leased_nano: bigint;
}

export interface LogRow {
  readonly request_id: string;
  readonly account_id: string | null;
  readonly channel_id: string | null;
  readonly model_id: string | null;
  readonly status: bigint;
  readonly error_code: string | null;
  readonly client_gone: bigint;
  readonly retry_count: bigint;
  readonly input_tokens: bigint | null;
  readonly output_tokens: bigint | null;
  readonly usage_source: string | null;
  readonly cost_nano: bigint | null;
}

/** Queries a database; every kind of database gets the same SQL. */
export type Query = <Row>(sql: string) => Promise<readonly Row[]>;

export function sqliteQuery(file: string): Query {
  return async <Row>(sql: string) => {
    const database = new Database(file, { readonly: true, safeIntegers: true });
    try {
      return database.query<Row, []>(sql).all();
    } finally {
      database.close();
    }
  };
}

/** Queries like `sqliteQuery` on one connection, which has read the schema. The gateway must keep the file until the test ends. */
export function keptSqliteQuery(file: string): Query {
  const database = new Database(file, { readonly: true, safeIntegers: true });
  return async <Row>(sql: string) => database.query<Row, []>(sql).all();
}

const INT8 = 20;

export function postgresQuery(url: string): Query {
  return async <Row>(sql: string) => {
    const parsers = { getTypeParser: (oid: number) => (oid === INT8 ? BigInt : types.getTypeParser(oid)) };
    const client = new Client({ connectionString: url, types: parsers });
    try {
      await client.connect();
      return (await client.query(sql)).rows as Row[];
    } finally {
      await client.end().catch(() => undefined);
    }
  };
}

export const NANO_PER_USD = 1_000_000_000n;

/** `0.7` or `-0.7` as nano-USD. */
export function nano(usd: string): bigint {
  const [whole = '', fraction = ''] = usd.replace('-', '').split('.');
  const amount = BigInt(whole) * NANO_PER_USD + BigInt(fraction.padEnd(9, '0'));
  return usd.startsWith('-') ? -amount : amount;
}

export class Books {
  constructor(
    private readonly bed: Pick<MoneyBed, 'space' | 'run'>,
    private readonly query: Query = sqliteQuery(bed.space.database),
  ) {}

  entries(): Promise<readonly Entry[]> {
    return this.query<Entry>(
      'SELECT idempotency_key, account_id, key_id, kind, amount_nano, request_id FROM ledger_entries ORDER BY sequence',
    );
  }

  async charges(accountId?: string): Promise<readonly Entry[]> {
    const entries = await this.entries();
    return entries.filter(
      ({ kind, account_id }) => kind === 'charge' && (accountId === undefined || account_id === accountId),
    );
  }

  /** Returns the charges by request id; throws if a request was charged twice. */
  async chargesByRequest(): Promise<ReadonlyMap<string, bigint>> {
    const charges = new Map<string, bigint>();
    for (const { request_id, amount_nano } of await this.charges()) {
      if (request_id === null) throw new Error('a charge has no request');
      if (charges.has(request_id)) throw new Error(`the request ${request_id} is charged twice`);
      charges.set(request_id, -amount_nano);
    }
    return charges;
  }

  async openHolds(): Promise<number> {
    const rows = await this.query<{ holds: number }>(`SELECT count(*) AS holds FROM holds WHERE state = 'open'`);
    return Number(rows[0]?.holds);
  }

  /** Waits for the rows of the request log that a crash delayed. A request with two rows fails the test. */
  async untilEachChargeHasItsLine(): Promise<void> {
    await until('each charge has its line in the request log', async () => {
      const charges = await this.chargesByRequest();
      const rows = await this.query<Pick<LogRow, 'request_id'>>('SELECT request_id FROM request_log');
      const lines = new Set(rows.map(({ request_id }) => request_id));
      expect(rows.length - lines.size).toBe(0);
      return [...charges.keys()].every((requestId) => lines.has(requestId));
    });
  }

  /** The sum of the account's entries. */
  async sum(accountId: string): Promise<bigint> {
    const entries = await this.entries();
    return entries
      .filter(({ account_id }) => account_id === accountId)
      .reduce((sum, { amount_nano }) => sum + amount_nano, 0n);
  }

  /** Resolves to the balance that `accounts balance` shows. */
  async balance(accountId: string): Promise<bigint> {
    return (await this.told(accountId)).balance;
  }

  /** Resolves to the amount of the balance that is held for requests. */
  async held(accountId: string): Promise<bigint> {
    return (await this.told(accountId)).held;
  }

  /** Returns the leased amounts of balances, key limits and budgets of all accounts; open holds are included. */
  leased(): Promise<readonly Leased[]> {
    return this.query<Leased>(
      ['balances', 'key_spending', 'budget_spending']
        .map((pool) => `SELECT '${pool}' AS pool, account_id, leased_nano FROM ${pool} WHERE leased_nano <> 0`)
        .join(' UNION ALL '),
    );
  }

  /**
   * Waits until no money is leased, which happens soon after the last request has finished, even after a
   * crash.
   */
  async untilNothingIsLeased(): Promise<void> {
    await until('no lease is left without a request', async () => (await this.leased()).length === 0);
  }

  /**
   * Waits until SQLite's gateways have released everything that they reserved; they keep unneeded leases for
   * up to a second.
   */
  async untilNothingIsHeld(accountId: string): Promise<void> {
    // Reading the table is cheaper than running the command.
    const held = `SELECT account_id FROM balances WHERE account_id = '${accountId}' AND leased_nano <> 0`;
    await until(`${accountId} has no reservation left`, async () => (await this.query(held)).length === 0);
    expect(await this.held(accountId)).toBe(0n);
  }

  private async told(accountId: string): Promise<{ readonly balance: bigint; readonly held: bigint }> {
    const { exitCode, stdout, stderr } = await this.bed.run('accounts', 'balance', accountId, '--json');
    if (exitCode !== 0) throw new Error(`accounts balance ended with exit code ${exitCode}: ${stderr}`);
    const { balance_usd, held_usd } = asObject(parseJson(stdout));
    return { balance: nano(String(balance_usd)), held: nano(String(held_usd)) };
  }

  /** Checks that `ledger verify` succeeds. */
  async verify(): Promise<void> {
    const { exitCode, stdout, stderr } = await this.bed.run('ledger', 'verify');
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 });
  }

  /** Resolves to the rows of the request log, once it has those of these requests. */
  async log(receipts: readonly Pick<Receipt, 'requestId'>[]): Promise<ReadonlyMap<string, LogRow>> {
    const rows = new Map<string, LogRow>();
    const wanted = new Set(receipts.map(({ requestId }) => requestId));
    await until('the request log is written', async () => {
      for (const row of await this.query<LogRow>('SELECT * FROM request_log')) rows.set(row.request_id, row);
      return [...wanted].every((requestId) => rows.has(requestId));
    });
    return rows;
  }
}
