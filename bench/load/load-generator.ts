// The load generator, a separate process. Reads one LoadCommand per line, and answers each with a LoadResult as one line.
import { percentile } from '../statistics.ts';
import { ClientConnection, RequestWriter } from './client-connection.ts';
import type { LoadCommand, LoadResult } from './protocol.ts';

/** The counts of one command. */
class Tally {
  private readonly startedNs = Bun.nanoseconds();
  private readonly latenciesMs: number[] = [];
  private lost = 0;
  private open = 0;
  private peakOpen = 0;
  private firstProblem = '';

  constructor(
    private readonly command: LoadCommand,
    private readonly writer: RequestWriter,
  ) {}

  /** Sends one request; calls `whenAnswered` after its answer, complete or not. */
  send(connection: ClientConnection, sinceNs: number, whenAnswered: () => void): void {
    this.open += 1;
    this.peakOpen = Math.max(this.peakOpen, this.open);
    connection.send(this.writer.next(), (problem) => {
      this.open -= 1;
      if (problem === '') this.latenciesMs.push((Bun.nanoseconds() - sinceNs) / 1e6);
      else this.fail(problem);
      whenAnswered();
    });
  }

  fail(problem: string): void {
    this.lost += 1;
    if (this.firstProblem === '') this.firstProblem = problem;
  }

  connect(): Promise<ClientConnection> {
    return ClientConnection.open(this.command.port, this.command.request);
  }

  result(): LoadResult {
    const stillOpen = this.open > 0 ? `${this.open} still open at the timeout` : '';
    return {
      complete: this.latenciesMs.length,
      lost: this.lost + this.open,
      firstProblem: this.firstProblem || stillOpen,
      durationMs: (Bun.nanoseconds() - this.startedNs) / 1e6,
      p50Ms: percentile(this.latenciesMs, 50),
      p99Ms: percentile(this.latenciesMs, 99),
      peakOpen: this.peakOpen,
    };
  }
}

async function connectMany(tally: Tally, count: number): Promise<ClientConnection[]> {
  return Promise.all(Array.from({ length: count }, () => tally.connect()));
}

/** Resolves after `milliseconds` at the latest, or as soon as `finished` does. */
async function withPatience(finished: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([finished, expiry]);
  clearTimeout(timer);
}

type PlanOf<Kind extends LoadCommand['plan']['kind']> = Extract<LoadCommand['plan'], { kind: Kind }>;

async function runClosed(command: LoadCommand, plan: PlanOf<'closed'>): Promise<LoadResult> {
  const writer = new RequestWriter(command.request, command.port);
  const probe = new Tally(command, writer);
  const connections = await connectMany(probe, plan.connections);
  const tally = new Tally(command, writer);
  const deadlineNs = Bun.nanoseconds() + (plan.durationMs ?? Number.POSITIVE_INFINITY) * 1e6;
  let left = plan.requests ?? Number.POSITIVE_INFINITY;
  const loop = async (first: ClientConnection) => {
    let connection = first;
    const sendNext = (resolve: () => void) => {
      if (left <= 0 || Bun.nanoseconds() >= deadlineNs || !connection.usable) return resolve();
      left -= 1;
      tally.send(connection, Bun.nanoseconds(), () => sendNext(resolve));
    };
    while (left > 0 && Bun.nanoseconds() < deadlineNs) {
      if (!connection.usable) connection = await tally.connect();
      await new Promise<void>(sendNext);
    }
    connection.close();
  };
  await withPatience(Promise.all(connections.map(loop)), (plan.durationMs ?? 0) + command.patienceMs);
  return tally.result();
}

async function runOpen(command: LoadCommand, plan: PlanOf<'open'>): Promise<LoadResult> {
  const writer = new RequestWriter(command.request, command.port);
  const tally = new Tally(command, writer);
  const free = await connectMany(tally, 64);
  const waitingSinceNs: number[] = [];
  let answered = 0;
  const total = Math.round((plan.perSecond * plan.durationMs) / 1000);
  const finished = Promise.withResolvers<void>();

  const use = (connection: ClientConnection, sinceNs: number) => {
    tally.send(connection, sinceNs, () => {
      answered += 1;
      if (answered >= total) finished.resolve();
      const waiting = waitingSinceNs.shift();
      if (waiting !== undefined) useLive(connection, waiting);
      else free.push(connection);
    });
  };
  /** Many servers close a connection after some idle seconds; a client then opens another. */
  const useLive = (connection: ClientConnection, sinceNs: number) => {
    if (connection.usable) return use(connection, sinceNs);
    tally.connect().then(
      (fresh) => use(fresh, sinceNs),
      () => use(connection, sinceNs), // Fails, and is counted as lost.
    );
  };
  const startNs = Bun.nanoseconds();
  let sent = 0;
  const ticker = setInterval(() => {
    const nowNs = Bun.nanoseconds();
    const due = Math.min(total, Math.floor(((nowNs - startNs) / 1e9) * plan.perSecond));
    for (; sent < due; sent += 1) {
      const connection = free.pop();
      // Waiting for a free connection is the server's slowness and counts; the timer's own delay is ours and does not.
      if (connection === undefined) waitingSinceNs.push(nowNs);
      else useLive(connection, Bun.nanoseconds());
    }
    if (sent >= total) clearInterval(ticker);
  }, 1);
  await withPatience(finished.promise, plan.durationMs + command.patienceMs);
  clearInterval(ticker);
  for (const connection of free) connection.close();
  return tally.result();
}

async function runStreams(command: LoadCommand, plan: PlanOf<'streams'>): Promise<LoadResult> {
  const writer = new RequestWriter(command.request, command.port);
  const tally = new Tally(command, writer);
  const connections: ClientConnection[] = [];
  const openOne = async () => {
    try {
      const connection = await tally.connect();
      connections.push(connection);
      await new Promise<void>((resolve) => tally.send(connection, Bun.nanoseconds(), resolve));
    } catch (error) {
      tally.fail(String(error));
    }
  };
  const streams: Promise<void>[] = [];
  const startNs = Bun.nanoseconds();
  while (streams.length < plan.count) {
    const due = Math.min(plan.count, Math.ceil(((Bun.nanoseconds() - startNs) / 1e9) * plan.opensPerSecond));
    while (streams.length < due) streams.push(openOne());
    await Bun.sleep(2);
  }
  await withPatience(Promise.all(streams), command.patienceMs);
  const result = tally.result();
  for (const connection of connections) connection.close();
  return result;
}

/** Answers every command: a crashed server is a result, too. */
async function runSafely(command: LoadCommand): Promise<LoadResult> {
  try {
    return await run(command);
  } catch (error) {
    const tally = new Tally(command, new RequestWriter(command.request, command.port));
    tally.fail(String(error));
    return tally.result();
  }
}

function run(command: LoadCommand): Promise<LoadResult> {
  switch (command.plan.kind) {
    case 'closed':
      return runClosed(command, command.plan);
    case 'open':
      return runOpen(command, command.plan);
    case 'streams':
      return runStreams(command, command.plan);
  }
}

for await (const line of console) {
  const result = await runSafely(JSON.parse(line) as LoadCommand); // Written by bench/measure.ts.
  console.log(JSON.stringify(result));
}
