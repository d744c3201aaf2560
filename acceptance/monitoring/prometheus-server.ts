import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../conformance/shared/free-port.ts';
import { until } from '../../conformance/shared/until.ts';
import { RULES } from './promtool.ts';

/** One series of a response: its labels, and its values as Prometheus writes them. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [seconds: number, value: string])[];
}

/** A rule as Prometheus sees it. */
export interface EvaluatedRule {
  readonly name: string;
  readonly type: 'alerting' | 'recording';
  readonly health: string;
  readonly lastError?: string;
  readonly state?: string;
}

const JOB = 'switchyard';

/** A Prometheus that reads one gateway every second, and evaluates the rules of deploy/prometheus. */
export class PrometheusServer {
  private constructor(
    private readonly child: Bun.Subprocess,
    private readonly origin: string,
    private readonly folder: string,
    private readonly startedAt: number,
  ) {}

  static async start(target: string): Promise<PrometheusServer> {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-prometheus-'));
    const port = await freePort();
    const configuration = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [RULES],
      scrape_configs: [{ job_name: JOB, static_configs: [{ targets: [target] }] }],
    };
    await Bun.write(join(folder, 'prometheus.yml'), stringify(configuration));
    const child = Bun.spawn(
      [
        'prometheus',
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--enable-feature=exemplar-storage',
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const server = new PrometheusServer(child, `http://127.0.0.1:${port}`, folder, Date.now() / 1_000);
    await until('Prometheus is ready', () =>
      fetch(`${server.origin}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return server;
  }

  async stop(): Promise<void> {
    this.child.kill();
    await this.child.exited;
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Resolves once the gateway was read after this call. */
  async nextScrape(): Promise<void> {
    const before = await this.lastScrape();
    await until('Prometheus reads the gateway', async () => (await this.lastScrape()) > before);
  }

  /** Resolves once the metric has a value. */
  async untilKnown(metric: string): Promise<void> {
    await until(`Prometheus knows ${metric}`, async () => (await this.overTime(metric)).length > 0);
  }

  private async lastScrape(): Promise<number> {
    const { result } = await this.get<{ result: readonly { value: readonly [number, string] }[] }>('query', {
      query: `timestamp(up{job="${JOB}"} == 1)`,
    });
    return Number(result[0]?.value[1] ?? 0);
  }

  /** Evaluates an expression for each second since the start. Throws with Prometheus' message if it is not valid. */
  async overTime(expression: string): Promise<readonly Series[]> {
    const range = { start: String(this.startedAt), end: String(Date.now() / 1_000), step: '1' };
    return (await this.get<{ result: readonly Series[] }>('query_range', { query: expression, ...range })).result;
  }

  /** Resolves to the labels of the exemplars of an expression's series. */
  async exemplars(expression: string): Promise<readonly Readonly<Record<string, string>>[]> {
    const range = { start: String(this.startedAt), end: String(Date.now() / 1_000) };
    const found = await this.get<readonly { exemplars: readonly { labels: Record<string, string> }[] }[]>(
      'query_exemplars',
      { query: expression, ...range },
    );
    return found.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels));
  }

  async rules(): Promise<readonly EvaluatedRule[]> {
    const { groups } = await this.get<{ groups: readonly { rules: readonly EvaluatedRule[] }[] }>('rules', {});
    return groups.flatMap(({ rules }) => rules);
  }

  /** Resolves to the values of a label of a metric, as Grafana asks for those of a variable. */
  valuesOf(label: string, metric: string): Promise<readonly string[]> {
    return this.get<readonly string[]>(`label/${label}/values`, { 'match[]': metric });
  }

  private async get<Data>(path: string, parameters: Readonly<Record<string, string>>): Promise<Data> {
    const response = await fetch(`${this.origin}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const { status, data, error } = (await response.json()) as { status: string; data: Data; error?: string };
    if (status !== 'success') throw new Error(`Prometheus: ${error} (${JSON.stringify(parameters)})`);
    return data;
  }
}
