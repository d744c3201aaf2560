import { Books, postgresQuery, type Query } from '../../conformance/money/books.ts';
import type { Bought } from './customers.ts';
import type { FaultLog } from './faults.ts';
import { NODES } from './plan.ts';
import { type ChaosSite, COSTS, REQUESTS_PER_MINUTE } from './site.ts';

/** A property that must hold whatever fails. */
export interface Law {
  readonly name: string;
  /** Summarizes what was checked, in a few words. */
  readonly seen: string;
  /** Lists the violations, one sentence each; empty if the law holds. */
  readonly problems: readonly string[];
}

const MINUTE_MS = 60_000;
const DEAREST = Object.values(COSTS).reduce((most, cost) => (cost > most ? cost : most));
/**
 * How long a line of the request log may wait in the write-behind queue. A killed process loses the lines in it. Other gateways recover
 * them from the charges a minute later; this check does not wait for that.
 */
const LOG_WAITS_MS = 15_000;
const TOLD = 5;

/** Compares the database with what customers and faults recorded. Call it after the load has stopped. */
export async function judge(site: ChaosSite, bought: readonly Bought[], faults: FaultLog): Promise<readonly Law[]> {
  const { bed, databaseUrl } = site;
  const query = postgresQuery(databaseUrl);
  const books = new Books(bed, query);
  // Expires the leases of the killed gateways now, since nobody renews them.
  for (const { pid } of faults.incidents.filter(({ kind }) => kind === 'killed')) {
    await query(`UPDATE nodes SET expires_at = clock_timestamp() WHERE node_id LIKE '%:${pid}/%'`);
  }
  const charges = await books.chargesByRequest();
  return [
    chargedOnce(bought, charges),
    nothingElseCharged(bought, charges),
    await nothingLeased(books),
    await noBalanceBelowZero(query),
    limitsKept(bought, faults),
    await verified(bed),
    await logComplete(query, bought, faults),
  ];
}

function chargedOnce(bought: readonly Bought[], charges: ReadonlyMap<string, bigint>): Law {
  const complete = bought.filter(({ receipt }) => receipt.isComplete);
  const problems = complete.flatMap(({ account, model, receipt: { requestId } }) => {
    const charge = charges.get(requestId) ?? 0n;
    const cost = COSTS[model];
    // A gateway that was cut off loses its reservation, and another gateway may spend that money, so the charge may be less than the cost.
    const isRight = account === 'poor' ? charge <= cost : charge === cost;
    return isRight ? [] : [`${requestId} (${account}, ${model}) costs ${cost} and is charged ${charge}`];
  });
  return {
    name: 'every complete answer is charged exactly once',
    seen: `${complete.length} complete answers`,
    problems,
  };
}

function nothingElseCharged(bought: readonly Bought[], charges: ReadonlyMap<string, bigint>): Law {
  const problems: string[] = [];
  const known = new Set(bought.map(({ receipt }) => receipt.requestId));
  for (const { receipt } of bought) {
    const { status, isComplete, requestId } = receipt;
    const charge = charges.get(requestId) ?? 0n;
    const most = status === 200 && !isComplete ? DEAREST : 0n;
    if (status !== 0 && !isComplete && charge > most) {
      problems.push(`${requestId} was answered with ${status} and is charged ${charge}`);
    }
  }
  const unanswered = bought.filter(({ receipt }) => receipt.status === 0).length;
  const nameless = [...charges].filter(([requestId]) => !known.has(requestId));
  if (nameless.length > unanswered) problems.push(`${nameless.length} charges for ${unanswered} unanswered requests`);
  for (const [requestId, charge] of nameless) {
    if (charge > DEAREST) problems.push(`${requestId}, which nobody has an answer to, is charged ${charge}`);
  }
  const seen = `${bought.length} requests, ${unanswered} of them unanswered`;
  return { name: 'nothing else is charged', seen, problems };
}

async function nothingLeased(books: Books): Promise<Law> {
  const name = 'no money is leased that no request holds';
  const seen = 'balances, limits of keys and budgets, with all gateways running';
  try {
    await books.untilNothingIsLeased();
    return { name, seen, problems: [] };
  } catch {
    const problems = (await books.leased()).map((one) => `${one.leased_nano} of ${one.account_id} (${one.pool})`);
    return { name, seen, problems };
  }
}

async function noBalanceBelowZero(query: Query): Promise<Law> {
  const rows = await query<{ readonly account_id: string; readonly balance_nano: bigint; readonly sum: string }>(
    `SELECT account_id, balance_nano, (SELECT sum(amount_nano) FROM ledger_entries e WHERE e.account_id = b.account_id) AS sum
     FROM balances b`,
  );
  const problems = rows.flatMap(({ account_id, balance_nano, sum }) => [
    ...(balance_nano < 0n && account_id !== 'unlimited' ? [`${account_id} has ${balance_nano}`] : []),
    ...(balance_nano === BigInt(sum) ? [] : [`${account_id} has ${balance_nano}, and its entries are ${sum}`]),
  ]);
  return { name: 'no balance is below zero', seen: `${rows.length} accounts`, problems };
}

/**
 * Checks that no minute admits more requests than the documented bound (docs/limits.md): the limit plus, after Redis was unreachable or
 * lost its data, the shares of the gateways that had not admitted any. What a process admitted before it ended is then unknown.
 */
function limitsKept(bought: readonly Bought[], { incidents }: FaultLog): Law {
  const admitted = bought.filter(
    ({ account, receipt: { status } }) => account === 'limited' && [200, 502].includes(status),
  );
  let most = 0;
  const problems: string[] = [];
  for (const { sentAtMs: fromMs } of admitted) {
    const isIn = (atMs: number) => atMs >= fromMs && atMs <= fromMs + MINUTE_MS;
    const within = admitted.filter(({ sentAtMs, answeredAtMs }) => sentAtMs >= fromMs && isIn(answeredAtMs));
    const hasLost = incidents.some(({ kind, atMs }) => kind === 'redis' && isIn(atMs));
    const ended = new Set(incidents.flatMap((one) => (one.kind !== 'redis' && isIn(one.atMs) ? [one.pid] : [])));
    const forgotten = hasLost ? within.filter(({ pid }) => ended.has(pid)).length : 0;
    const parts = hasLost ? (REQUESTS_PER_MINUTE * (NODES - 1)) / NODES : 0;
    most = Math.max(most, within.length);
    const bound = REQUESTS_PER_MINUTE + parts + forgotten;
    if (within.length > bound) problems.push(`${within.length} requests were admitted in 60 s, where ${bound} may be`);
  }
  const seen = `at most ${most} requests of an account with ${REQUESTS_PER_MINUTE} a minute`;
  return { name: 'limits are kept', seen, problems };
}

async function verified(bed: ChaosSite['bed']): Promise<Law> {
  const { exitCode, stdout, stderr } = await bed.run('ledger', 'verify');
  const problems = exitCode === 0 ? [] : [`${stdout}${stderr}`.trim()];
  return { name: 'the ledger is verified', seen: stdout.trim().split('\n')[0] ?? '', problems };
}

async function logComplete(query: Query, bought: readonly Bought[], { incidents }: FaultLog): Promise<Law> {
  const killed = new Map(incidents.flatMap((one) => (one.kind === 'killed' ? [[one.pid, one.atMs] as const] : [])));
  const expected = bought.filter(({ receipt, pid, answeredAtMs }) => {
    const killedAtMs = killed.get(pid);
    return receipt.isComplete && (killedAtMs === undefined || answeredAtMs < killedAtMs - LOG_WAITS_MS);
  });
  const rows = await query<{ readonly request_id: string }>('SELECT request_id FROM request_log');
  const logged = new Set(rows.map(({ request_id }) => request_id));
  const problems = expected
    .filter(({ receipt }) => !logged.has(receipt.requestId))
    .map(({ receipt, account, model }) => `${receipt.requestId} (${account}, ${model}) has no line`);
  if (rows.length > logged.size) problems.push(`${rows.length - logged.size} requests have more than one line`);
  return { name: 'the request log is complete', seen: `${rows.length} lines`, problems };
}

/** Formats the verdict for printing. */
export function told(laws: readonly Law[]): string {
  const lines = laws.flatMap(({ name, seen, problems }) => [
    `${problems.length === 0 ? 'kept  ' : 'BROKEN'}  ${name} (${seen})`,
    ...problems.slice(0, TOLD).map((problem) => `          ${problem}`),
    ...(problems.length > TOLD ? [`          and ${problems.length - TOLD} more`] : []),
  ]);
  return lines.join('\n');
}
