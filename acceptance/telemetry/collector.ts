import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../conformance/shared/free-port.ts';
import { until } from '../../conformance/shared/until.ts';
import { COLLECTOR } from '../shared/go-tools/tools.ts';
import { type LogLine, logLinesIn, type MetricPoint, pointsIn, type Span, spansIn } from './otlp-json.ts';

type Signal = 'traces' | 'metrics' | 'logs';

/** The collector as a process (`acceptance/shared/go-tools/collector`), with what it has received so far. */
export class Collector {
  private constructor(
    private readonly folder: string,
    private readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>,
    /** The base URL of OTLP over HTTP, to which exporters add `/v1/traces` and the like. */
    readonly url: string,
    readonly grpcUrl: string,
  ) {}

  static async start(): Promise<Collector> {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-collector-'));
    const [http, grpc] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const child = Bun.spawn([COLLECTOR, http, grpc, folder], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
    // Also after a test whose set-up has failed.
    process.on('exit', () => child.kill('SIGKILL'));
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    if (value === undefined) throw new Error(`the collector did not start: ${await child.stderr.text()}`);
    return new Collector(folder, child, `http://${http}`, `http://${grpc}`);
  }

  async spans(): Promise<readonly Span[]> {
    return (await this.exports('traces')).flatMap(spansIn);
  }

  async points(): Promise<readonly MetricPoint[]> {
    return (await this.exports('metrics')).flatMap(pointsIn);
  }

  async logLines(): Promise<readonly LogLine[]> {
    return (await this.exports('logs')).flatMap(logLinesIn);
  }

  /** Resolves to the spans of a trace as soon as the condition holds for them. */
  async trace(traceId: string, isComplete: (spans: readonly Span[]) => boolean): Promise<readonly Span[]> {
    let spans: readonly Span[] = [];
    await until(`the trace ${traceId} is complete`, async () => {
      spans = (await this.spans()).filter((span) => span.traceId === traceId);
      return spans.length > 0 && isComplete(spans);
    });
    return spans;
  }

  /** Resolves to everything that was received, as text. */
  async text(): Promise<string> {
    const texts = await Promise.all((['traces', 'metrics', 'logs'] as const).map((signal) => this.file(signal)));
    return texts.join('');
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.child.exited;
    await rm(this.folder, { recursive: true, force: true });
  }

  private async exports(signal: Signal): Promise<readonly unknown[]> {
    const text = await this.file(signal);
    // The last line may still be written.
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  }

  private async file(signal: Signal): Promise<string> {
    const file = Bun.file(join(this.folder, `${signal}.jsonl`));
    return (await file.exists()) ? file.text() : '';
  }
}
