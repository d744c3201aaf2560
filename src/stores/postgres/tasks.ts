import type { Pool } from 'pg';
import type { Task, TaskChanges } from '../../domain/tasks/task.ts';
import type { OpenTasks, TaskChange, TaskQuery, TaskStore } from '../../engine/ports/task-store.ts';
import type { ContentBox } from '../shared/content-box.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import {
  type ChangedColumns,
  CLAIMS_OF,
  type ClaimRow,
  FIGURES,
  type FiguresRow,
  fromFiguresRow,
  fromTaskRow,
  IS_OPEN,
  listTasks,
  oldestFirst,
  stagesBefore,
  TASK_COLUMNS,
  type TaskColumn,
  type TaskRow,
  type TaskValue,
  toChangedColumns,
  toClaims,
  toStorable,
  toTaskValues,
} from '../shared/tables/tasks.ts';
import { inTransaction, query, type Session } from './connection.ts';
import { isPassing, retryWaitMs } from './ledger-retry.ts';

const ATTEMPTS = 5;
const UNIQUE_VIOLATION = '23505';

const INSERT = `
  INSERT INTO tasks (${TASK_COLUMNS.join(', ')}) VALUES (${TASK_COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})
  RETURNING ledger_commit_durably()
`;

/** The columns that a change may have, with their types. */
const CHANGEABLE = {
  stage: 'text',
  is_processing: 'smallint',
  progress: 'bigint',
  channel_id: 'text',
  provider: 'text',
  upstream_model: 'text',
  wire: 'text',
  is_private: 'smallint',
  asked: 'text',
  submitted_at_ms: 'bigint',
  poll_errors: 'bigint',
  last_poll_error: 'text',
  kept: 'text',
  cost_nano: 'bigint',
  ended_at_ms: 'bigint',
  expires_at_ms: 'bigint',
  sealed_ticket: 'bytea',
  sealed_ending: 'bytea',
} as const satisfies { readonly [Column in TaskColumn]?: string };

/**
 * Any number of changes, each of another task: one statement, whose text is always the same. The rows are locked in one order, so
 * that two processes that both think that they own them wait for one another and not each for the other.
 */
const CHANGE = `
  WITH new AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1) AS changes (
      place int, of_id text, of_claim bigint, from_stages text[], given text[],
      ${Object.entries(CHANGEABLE)
        .map(([column, type]) => `${column} ${type}`)
        .join(', ')}
    )
  ), locked AS MATERIALIZED (
    SELECT id FROM tasks WHERE id IN (SELECT of_id FROM new) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE tasks SET ${Object.keys(CHANGEABLE)
    .map((column) => `${column} = CASE WHEN '${column}' = ANY(new.given) THEN new.${column} ELSE tasks.${column} END`)
    .join(', ')}
  FROM new JOIN locked ON locked.id = new.of_id
  WHERE tasks.id = new.of_id AND tasks.claim = new.of_claim AND tasks.stage = ANY(new.from_stages)
    AND (tasks.sealed_ending IS NULL OR NOT 'sealed_ending' = ANY(new.given))
  RETURNING new.place, ledger_commit_durably()
`;

const ALIVE = `
  INSERT INTO task_owners (owner, alive_until_ms) VALUES ($1, $2)
  ON CONFLICT (owner) DO UPDATE SET alive_until_ms = excluded.alive_until_ms
`;

const FORGET_DEAD_OWNERS = 'DELETE FROM task_owners WHERE alive_until_ms <= $1';

const DEAD_OWNERS = `
  SELECT DISTINCT owner FROM tasks
  WHERE ${IS_OPEN} AND owner IS NOT NULL AND NOT EXISTS (SELECT FROM task_owners WHERE task_owners.owner = tasks.owner)
`;

/**
 * The dead owners are given by name: a task that another process has claimed at this moment is compared again, and the name of
 * that process is not among them.
 */
const CLAIM = `
  UPDATE tasks SET owner = $1, claim = claim + 1 WHERE id IN (
    SELECT id FROM tasks WHERE ${IS_OPEN} AND (owner IS NULL OR owner = ANY($2))
    ORDER BY created_at_ms, id LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  RETURNING *, ledger_commit_durably()
`;

const TAKE_BACK = `UPDATE tasks SET owner = NULL, claim = claim + 1 WHERE id = $1 AND ${IS_OPEN}`;

const GIVE_BACK = `
  WITH gone AS (DELETE FROM task_owners WHERE owner = $1)
  UPDATE tasks SET owner = NULL, claim = claim + 1 WHERE owner = $1 AND ${IS_OPEN}
`;

/** Each node takes rows that no other node is deleting. */
const REMOVE_EXPIRED = `
  DELETE FROM tasks WHERE id IN (
    SELECT id FROM tasks WHERE expires_at_ms <= $1 AND NOT (${IS_OPEN})
    ORDER BY expires_at_ms LIMIT $2 FOR UPDATE SKIP LOCKED
  )
`;

export interface PostgresTasksOptions {
  readonly pool: Pool;
  readonly box: ContentBox;
}

export class PostgresTasks implements TaskStore {
  readonly #pool: Pool;
  readonly #box: ContentBox;
  /** What was being claimed when the connection broke before the answer: id and claim. */
  readonly #unsure = new Map<string, number>();

  constructor({ pool, box }: PostgresTasksOptions) {
    this.#pool = pool;
    this.#box = box;
  }

  async create(task: Task): Promise<void> {
    const values = toTaskValues(task, this.#box);
    for (let attempt = 1; ; attempt++) {
      try {
        await query(this.#pool, INSERT, values);
        return;
      } catch (error) {
        // An attempt before this one whose answer was lost.
        if (attempt > 1 && errorCodeOf(error) === UNIQUE_VIOLATION && (await this.#isMade(task))) return;
        if (attempt >= ATTEMPTS || !isPassing(error)) throw error;
        await Bun.sleep(retryWaitMs(attempt));
      }
    }
  }

  async find(id: string): Promise<Task | null> {
    // PostgreSQL's text knows no NUL, so an id with one is never there; asking for it would be an error.
    if (id.includes('\0')) return null;
    const { rows } = await query<TaskRow>(this.#pool, 'SELECT * FROM tasks WHERE id = $1', [id]);
    return rows[0] === undefined ? null : fromTaskRow(rows[0], this.#box);
  }

  async change(id: string, claim: number, changes: TaskChanges): Promise<boolean> {
    const [isChanged = false] = await this.changeAll([{ id, claim, changes }]);
    return isChanged;
  }

  async changeAll(changes: readonly TaskChange[]): Promise<readonly boolean[]> {
    if (changes.length === 0) return [];
    const rounds = inRounds(changes).map((round) =>
      JSON.stringify(round.map(({ change, place }) => toChangeRow(change, place, this.#box))),
    );
    const changed = await this.#untilPossible(async () => {
      const [only] = rounds;
      if (rounds.length === 1) return (await query<ChangedPlace>(this.#pool, CHANGE, [only])).rows;
      return inTransaction(this.#pool, async (session) => {
        const places: ChangedPlace[] = [];
        for (const round of rounds) places.push(...(await session.query<ChangedPlace>(CHANGE, [round])).rows);
        return places;
      });
    });
    const places = new Set(changed.map(({ place }) => place));
    return changes.map((_, place) => places.has(place));
  }

  async alive(owner: string, untilMs: number): Promise<void> {
    await this.#untilDone(ALIVE, [owner, Math.floor(untilMs)]);
  }

  async claim(owner: string, nowMs: number, limit: number): Promise<readonly Task[]> {
    const known = await this.#claimedUnknowingly(owner);
    const rows = await this.#untilPossible(() => this.#claim(owner, Math.floor(nowMs), atLeastNone(limit)));
    return oldestFirst([...known, ...rows.map((row) => fromTaskRow(row, this.#box))]);
  }

  async takeBack(id: string): Promise<boolean> {
    if (id.includes('\0')) return false;
    return (await this.#untilDone(TAKE_BACK, [id])) === 1;
  }

  async giveBack(owner: string): Promise<void> {
    await this.#untilDone(GIVE_BACK, [owner]);
    this.#unsure.clear();
  }

  async claimsOf(owner: string): Promise<ReadonlyMap<string, number>> {
    return toClaims((await query<ClaimRow>(this.#pool, `${CLAIMS_OF} $1`, [owner])).rows);
  }

  async countOpen(accountId: string): Promise<number> {
    const sql = `SELECT count(*) AS tasks FROM tasks WHERE account_id = $1 AND ${IS_OPEN}`;
    const { rows } = await query<{ readonly tasks: bigint }>(this.#pool, sql, [accountId]);
    return Number(rows[0]?.tasks ?? 0n);
  }

  async list(tasks: TaskQuery, limit: number): Promise<readonly Task[]> {
    const { sql, values } = listTasks(tasks, limit, '$');
    const { rows } = await query<TaskRow>(this.#pool, sql, values);
    return rows.map((row) => fromTaskRow(row, this.#box));
  }

  async figures(): Promise<readonly OpenTasks[]> {
    return (await query<FiguresRow>(this.#pool, FIGURES)).rows.map(fromFiguresRow);
  }

  async removeExpired(nowMs: number, limit: number): Promise<number> {
    const { rowCount } = await query(this.#pool, REMOVE_EXPIRED, [Math.floor(nowMs), atLeastNone(limit)]);
    return rowCount ?? 0;
  }

  async #claim(owner: string, nowMs: number, limit: number): Promise<readonly TaskRow[]> {
    let claimed: readonly TaskRow[] = [];
    try {
      return await inTransaction(this.#pool, async (session) => {
        claimed = [];
        claimed = await claimIn(session, owner, nowMs, limit);
        return claimed;
      });
    } catch (error) {
      for (const { id, claim } of claimed) this.#unsure.set(id, Number(claim));
      throw error;
    }
  }

  /** Those of a claim whose commit was not answered, if it was done: nobody else would look after them. */
  async #claimedUnknowingly(owner: string): Promise<readonly Task[]> {
    if (this.#unsure.size === 0) return [];
    const sql = `SELECT * FROM tasks WHERE id = ANY($1) AND owner = $2 AND ${IS_OPEN}`;
    const { rows } = await query<TaskRow>(this.#pool, sql, [[...this.#unsure.keys()], owner]);
    const known = rows.filter(({ id, claim }) => this.#unsure.get(id) === Number(claim));
    this.#unsure.clear();
    return known.map((row) => fromTaskRow(row, this.#box));
  }

  async #isMade({ id, requestId }: Task): Promise<boolean> {
    return (await this.find(id))?.requestId === requestId;
  }

  /** For statements that may be done twice; gives how many rows the last time changed. */
  async #untilDone(sql: string, values: readonly unknown[]): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await query(this.#pool, sql, values)).rowCount ?? 0;
      } catch (error) {
        if (attempt >= ATTEMPTS || !isPassing(error)) throw error;
        await Bun.sleep(retryWaitMs(attempt));
      }
    }
  }

  /** For what may not: it is tried again only where the database said that it was undone, as one of two in each other's way. */
  async #untilPossible<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt >= ATTEMPTS || !(errorCodeOf(error) ?? '').startsWith('40')) throw error;
        await Bun.sleep(retryWaitMs(attempt));
      }
    }
  }
}

interface ChangedPlace {
  /** In the list of changes. */
  readonly place: number;
}

async function claimIn(session: Session, owner: string, nowMs: number, limit: number): Promise<readonly TaskRow[]> {
  await session.query(FORGET_DEAD_OWNERS, [nowMs]);
  const dead = (await session.query<{ readonly owner: string }>(DEAD_OWNERS)).rows;
  return (await session.query<TaskRow>(CLAIM, [owner, dead.map((row) => row.owner), limit])).rows;
}

interface PlacedChange {
  readonly change: TaskChange;
  readonly place: number;
}

/** One statement changes a row once, so of several changes of one task each is in a round of its own, in their order. */
function inRounds(changes: readonly TaskChange[]): PlacedChange[][] {
  const rounds: PlacedChange[][] = [];
  const seen = new Map<string, number>();
  for (const [place, change] of changes.entries()) {
    const round = seen.get(change.id) ?? 0;
    seen.set(change.id, round + 1);
    rounds[round] ??= [];
    rounds[round].push({ change, place });
  }
  return rounds;
}

function toChangeRow({ id, claim, changes }: TaskChange, place: number, box: ContentBox): Record<string, unknown> {
  const columns: ChangedColumns = toChangedColumns(id, changes, box);
  const given = Object.entries(columns).map(([column, value]) => [column, toJsonValue(value)] as const);
  return {
    place,
    // No row has an id that it changes.
    of_id: toStorable(id),
    of_claim: claim,
    from_stages: stagesBefore(changes),
    given: given.map(([column]) => column),
    ...Object.fromEntries(given),
  };
}

/** As PostgreSQL reads its types from texts. */
function toJsonValue(value: TaskValue): string | number | null {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return typeof value === 'bigint' ? String(value) : value;
}

function atLeastNone(limit: number): number {
  return Math.max(0, Math.floor(limit));
}
