import { nano } from '../../conformance/money/books.ts';
import { inParallel } from '../../conformance/routing/client.ts';
import { asArray, asObject, parseJson } from '../../conformance/shared/json.ts';
import { ACCOUNT, type CrashBed, PRICE_OF_SECOND_USD, START_USD } from './bed.ts';
import type { Clients, View } from './clients.ts';
import { fileOf, type HostileProvider, type TakenJob } from './hostile-provider.ts';

const AT_ONCE = 16;

interface TaskRow {
  readonly id: string;
  readonly request_id: string;
  readonly stage: string;
  readonly cost_nano: bigint | null;
  readonly provider: string | null;
}

interface EntryRow {
  readonly request_id: string | null;
  readonly kind: string;
  readonly amount_nano: bigint;
}

export interface Audited {
  readonly problems: readonly string[];
  readonly completed: number;
  readonly failed: number;
  /** Keyed by the first words of the failed tasks' errors. */
  readonly errors: ReadonlyMap<string, number>;
}

/** Compares the tasks with the charges, and with the jobs that the provider accepted. */
export async function audit(bed: CrashBed, provider: HostileProvider, clients: Clients): Promise<Audited> {
  const rows = await bed.query<TaskRow>('SELECT id, request_id, stage, cost_nano, provider FROM tasks');
  const entries = await bed.query<EntryRow>('SELECT request_id, kind, amount_nano FROM ledger_entries');
  const problems: string[] = [...clients.problems, ...submissionProblems(provider, rows)];
  const charges = new Map<string, bigint>();
  for (const { kind, request_id: request, amount_nano: amount } of entries) {
    if (kind !== 'charge' || request === null) continue;
    if (charges.has(request)) problems.push(`${request} is charged twice`);
    charges.set(request, -amount);
  }
  const prompts = new Map(clients.tasks.map(({ id, prompt }) => [id, prompt]));
  const errors = new Map<string, number>();
  const used = new Set<string>();
  const views = await inParallel(rows.length, AT_ONCE, async (index) => (await clients.view(rows[index]!.id)) ?? {});
  for (const [index, row] of rows.entries()) {
    const view = views[index] ?? {};
    const charge = charges.get(row.request_id);
    charges.delete(row.request_id);
    if (view.status !== row.stage) problems.push(`${row.id} is ${row.stage}, and told as ${JSON.stringify(view)}`);
    if (row.stage === 'completed') {
      const job = await jobOf(view, provider);
      problems.push(...completedProblems(row, job, charge, prompts.get(row.id)));
      if (job !== null && used.has(job.id)) problems.push(`${job.id} is the job of two tasks`);
      if (job !== null) used.add(job.id);
    } else {
      const words = String(view.error);
      errors.set(words, (errors.get(words) ?? 0) + 1);
      if (charge !== undefined) problems.push(`${row.id} has failed, and ${charge} is charged`);
      if (row.cost_nano !== 0n) problems.push(`${row.id} has failed, and its cost is ${row.cost_nano}`);
      if (!/^[A-Z][^:]{10,}/.test(words) || words.includes('://')) problems.push(`${row.id} has failed: ${words}`);
    }
  }
  const ids = new Set(rows.map(({ id }) => id));
  for (const { id } of clients.tasks) if (!ids.has(id)) problems.push(`${id} is forgotten`);
  for (const [request, amount] of charges) problems.push(`${request} is of no task, and ${amount} is charged`);
  problems.push(...(await bookProblems(bed, entries)));
  const completed = rows.filter(({ stage }) => stage === 'completed').length;
  return { problems, completed, failed: rows.length - completed, errors };
}

/**
 * Checks that each request was accepted by at most one provider, and each task submitted at most once. Where the provider keeps the
 * gateway's reference of a job, no accepted job is lost, whatever became of its response.
 */
function submissionProblems({ jobs }: HostileProvider, rows: readonly TaskRow[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const stages = new Map(rows.map(({ id, stage }) => [id, stage]));
  for (const { id, prompt, reference, fails } of jobs.values()) {
    if (seen.has(prompt)) problems.push(`${prompt} was taken twice`);
    seen.add(prompt);
    if (reference === null) continue;
    if (seen.has(reference)) problems.push(`${reference} was taken twice`);
    seen.add(reference);
    const stage = stages.get(reference) ?? 'unknown';
    if (stage !== (fails ? 'failed' : 'completed'))
      problems.push(`${id} ${fails ? 'fails' : ''}: ${reference} ${stage}`);
  }
  return problems;
}

function completedProblems(
  row: TaskRow,
  job: TakenJob | null,
  charge: bigint | undefined,
  prompt: string | undefined,
): readonly string[] {
  if (job === null) return [`the result of ${row.id} cannot be read`];
  const problems: string[] = [];
  const cost = BigInt(job.seconds) * nano(PRICE_OF_SECOND_USD);
  if (charge !== cost) problems.push(`${row.id} costs ${cost}, and ${charge} is charged`);
  if (row.cost_nano !== cost) problems.push(`${row.id} costs ${cost}, and its row says ${row.cost_nano}`);
  if (job.fails) problems.push(`${row.id} is completed, and its job ${job.id} has failed`);
  if (job.provider !== row.provider) problems.push(`${row.id} is of ${row.provider}, and its job of ${job.provider}`);
  if (job.reference !== null && job.reference !== row.id) problems.push(`${row.id} has the job of ${job.reference}`);
  if (prompt !== undefined && job.prompt !== prompt) problems.push(`${row.id} is "${prompt}", and has "${job.prompt}"`);
  return problems;
}

/** Resolves to the job behind the task's URL. */
async function jobOf({ data }: View, { jobs }: HostileProvider): Promise<TakenJob | null> {
  const [item] = asArray(data).map(asObject);
  const answer = await fetch(String(item?.url)).catch(() => null);
  const text = (await answer?.text()) ?? '';
  const id = text.split(' ').at(-1) ?? '';
  return answer?.status === 200 && text === fileOf(id) ? (jobs.get(id) ?? null) : null;
}

async function bookProblems(bed: CrashBed, entries: readonly EntryRow[]): Promise<readonly string[]> {
  const problems: string[] = [];
  const verified = await bed.run('ledger', 'verify');
  if (verified.exitCode !== 0) problems.push(`ledger verify: ${verified.stdout}${verified.stderr}`);
  const open = await bed.run('ledger', 'reservations', 'list', '--json');
  if (open.exitCode !== 0 || asArray(parseJson(open.stdout)).length > 0)
    problems.push(`still reserved: ${open.stdout}`);
  const told = asObject(parseJson((await bed.run('accounts', 'balance', ACCOUNT, '--json')).stdout));
  const charged = entries.reduce((sum, { kind, amount_nano: amount }) => (kind === 'charge' ? sum + amount : sum), 0n);
  const balance = nano(START_USD) + charged;
  if (nano(String(told.balance_usd)) !== balance) problems.push(`the balance is ${told.balance_usd}, not ${balance}`);
  return problems;
}
