import { METRIC_SECTIONS } from '../../src/transports/ops/catalogue/catalogue.ts';
import type { MetricDefinition, MetricSection } from '../../src/transports/ops/catalogue/definition.ts';

const INTRODUCTION = `# Metrics

Generated from the code by \`npm run generate\`; a test fails while this page differs from it.

\`GET /metrics\` returns Prometheus' text format, or OpenMetrics with exemplars if \`Accept\` names \`application/openmetrics-text\`, as Prometheus does.
It contains models and their cost, so it is not public. If \`server.metrics_token\` is set, send it as a Bearer token
(\`authorization: {credentials: …}\` in Prometheus' scrape configuration). Otherwise only direct connections from the same machine are served; all
others, including proxied ones, get a 403.

With several processes ([workers.md](workers.md)), counters, histograms and the gauges marked *summed* are the sum of all processes, of those that have
exited as well; the other gauges have the label \`worker\`. What a worker that crashes has counted since the last scrape is lost.

Families that are read from the database, or from a disk, are left out of a scrape if they are not read within a second.

## Push over OTLP

\`telemetry.metrics.enabled: true\`, \`OTEL_METRICS_EXPORTER=otlp\` or an \`OTEL_EXPORTER_OTLP_ENDPOINT\` pushes the same metrics to a collector once a minute,
beside \`/metrics\` ([tracing.md](tracing.md#settings) has the settings). Each process pushes its own, with a \`service.instance.id\` of its own. Values are
cumulative, so a failed push loses nothing but its point in time, and histograms and counters have exemplars.

## Labels

Labels come from the configuration and from fixed lists of codes and kinds, never from clients. All PRIVATE channels share one label value,
\`channel="PRIVATE"\`, and so do the models that only they serve (\`model="PRIVATE"\`) and their providers (\`gen_ai_provider_name="PRIVATE"\`), so that the
number of series does not grow with the number of accounts. Statuses of their upstreams are counted by class (\`http_5xx\`).
\`GET /usage?group_by=channel\` of the [management API](management.md) has the values of each channel.

Each family has at most 1,000 label sets, a histogram 200. Further ones are counted under the label value \`__overflow__\`, and
\`switchyard_metric_overflows_total\` tells for which metric. Sums over a family therefore stay right. Further label sets of a gauge are left out; of the
states of channels and models, the worst ones stay.

## Units and names

Names follow the conventions of Prometheus: base units (\`_seconds\`, \`_bytes\`, \`_usd\`), \`_total\` for counters. For OTLP, \`switchyard_request_duration_seconds\`
is \`switchyard.request_duration\` with the unit \`s\`, \`switchyard_requests_total\` is \`switchyard.requests\`, and so on: a collector's Prometheus
exporter translates them back to the names of this page, so that dashboards and alerts work with both.
[Decision 046](decisions/046-metric-names-and-push.md) has the reasons.
`;

const PROCESS = `## The process

\`process_*\` and \`nodejs_*\` report CPU, memory, open files, event loop and garbage collection, under the names of prom-client.
`;

const ALERTS = `## Dashboards and alerts

[monitoring.md](monitoring.md) describes the dashboards for Grafana and the alert rules for Prometheus that use these metrics.
`;

/** Generates docs/metrics.md. */
export function metricsPage(): string {
  return [INTRODUCTION, ...METRIC_SECTIONS.map(section), PROCESS, ALERTS].join('\n');
}

function section({ title, about, families }: MetricSection): string {
  const rows = Object.entries(families).map(([name, definition]) => row(name, definition));
  return [
    `## ${title}`,
    '',
    ...(about === undefined ? [] : [about, '']),
    '| metric | type | labels | means |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function row(name: string, { type, labels, help, isSummed, otel }: MetricDefinition): string {
  const kind = isSummed === true ? `${type}, summed` : type;
  const labelled = labels.length === 0 ? '' : ` \`${labels.join('`, `')}\` `;
  const conventional = otel === undefined ? '' : ` OTLP: \`${otel.name}\`, unit \`${otel.unit}\`.`;
  return `| \`${name}\` | ${kind} |${labelled || ' '}| ${help}${conventional} |`;
}
