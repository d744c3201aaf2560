import type { SettingVariables } from '../../engine/admin/configuration/configuration.ts';
import { telemetrySchema } from '../../engine/admin/schema/telemetry-section.ts';
import { sectionOf } from '../../engine/admin/settings/leaves.ts';
import type { SettingSections } from '../../engine/ports/settings-store.ts';
import { CommandError } from '../cli/command-error.ts';
import type { Environment } from '../cli/settings.ts';

/* The standard variables of OpenTelemetry, as settings of the section `telemetry` (docs/tracing.md#environment-variables). */

/** Settings that the environment states; the file and the API take precedence over them. */
export interface EnvironmentSettings {
  readonly sections: SettingSections;
  /** The variable of each setting, by its path with its section. */
  readonly variables: SettingVariables;
}

type Signal = 'traces' | 'metrics' | 'logs';

/** Returns the value of the setting, in the form of the configuration file; `undefined` for none. Throws an error that states the rule. */
type Read = (value: string) => unknown;

const ONLY_PROTOCOL = 'must be http/protobuf: send to the HTTP port of the collector, usually 4318';
const asIs: Read = (value) => value;
const list: Read = (value) => value.split(',').map(decodedPair).filter(Boolean);
const ofExporter: Read = (value) => {
  if (value === 'otlp' || value === 'none') return value === 'otlp';
  throw new Error('must be otlp or none');
};
const ofCompression: Read = (value) => {
  if (value === 'gzip' || value === 'none') return value === 'gzip';
  throw new Error('must be gzip or none');
};
const ofProtocol: Read = (value) => {
  if (value === 'http/protobuf') return undefined;
  throw new Error(ONLY_PROTOCOL);
};

/** The settings of single variables by path. Later ones win over earlier ones with the same path. */
const VARIABLES: readonly (readonly [variable: string, path: string, read: Read])[] = [
  ['OTEL_SDK_DISABLED', 'enabled', (value) => value.toLowerCase() !== 'true'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'resource_attributes', list],
  ['OTEL_SERVICE_NAME', 'service_name', asIs],
  ...otlpVariables('OTEL_EXPORTER_OTLP', 'otlp'),
  ...signalVariables('traces'),
  ...signalVariables('metrics'),
  ...signalVariables('logs'),
  ['OTEL_BLRP_MAX_QUEUE_SIZE', 'logs.queue_lines', asIs],
  ['OTEL_BLRP_MAX_EXPORT_BATCH_SIZE', 'logs.batch_lines', asIs],
  ['OTEL_BLRP_SCHEDULE_DELAY', 'logs.delay_ms', asIs],
  ['OTEL_BLRP_EXPORT_TIMEOUT', 'logs.export_timeout_ms', asIs],
  ['OTEL_METRIC_EXPORT_INTERVAL', 'metrics.interval_ms', asIs],
  ['OTEL_METRIC_EXPORT_TIMEOUT', 'metrics.export_timeout_ms', asIs],
  ['OTEL_BSP_MAX_QUEUE_SIZE', 'traces.queue_spans', asIs],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'traces.batch_spans', asIs],
  ['OTEL_BSP_SCHEDULE_DELAY', 'traces.delay_ms', asIs],
  ['OTEL_BSP_EXPORT_TIMEOUT', 'traces.export_timeout_ms', asIs],
];

function otlpVariables(prefix: string, place: string): typeof VARIABLES {
  return [
    [`${prefix}_PROTOCOL`, `${place}.protocol`, ofProtocol],
    [`${prefix}_ENDPOINT`, `${place}.endpoint`, asIs],
    [`${prefix}_HEADERS`, `${place}.headers`, list],
    [`${prefix}_COMPRESSION`, `${place}.gzip`, ofCompression],
    [`${prefix}_TIMEOUT`, `${place}.timeout_ms`, asIs],
    [`${prefix}_CERTIFICATE`, `${place}.ca_file`, asIs],
    [`${prefix}_CLIENT_CERTIFICATE`, `${place}.client_certificate_file`, asIs],
    [`${prefix}_CLIENT_KEY`, `${place}.client_key_file`, asIs],
  ];
}

/** A signal is exported if its exporter is `otlp`, or if an endpoint for it is set: `otlp` is the standard's default exporter. */
function signalVariables(signal: Signal): typeof VARIABLES {
  const own = signal.toUpperCase();
  // Collectors usually read the log lines from the standard output already, so the general endpoint does not send them a second time.
  const general = ['OTEL_EXPORTER_OTLP_ENDPOINT', `${signal}.enabled`, () => true] as const;
  return [
    ...otlpVariables(`OTEL_EXPORTER_OTLP_${own}`, `${signal}.otlp`),
    ...(signal === 'logs' ? [] : [general]),
    [`OTEL_EXPORTER_OTLP_${own}_ENDPOINT`, `${signal}.enabled`, () => true],
    [`OTEL_${own}_EXPORTER`, `${signal}.enabled`, ofExporter],
  ];
}

/** Every variable that has an effect. */
export const TELEMETRY_VARIABLES: readonly string[] = [
  ...new Set([...VARIABLES.map(([variable]) => variable), 'OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG']),
];

/** The variables whose values must not be shown, and addresses with a password. */
const SECRET = /_HEADERS$/;
const PASSWORD = /:\/\/[^/]*@/;

/** Reads the variables. Throws `CommandError` for a wrong value; the message names the variable. */
export function telemetryVariables(environment: Environment): EnvironmentSettings {
  const leaves = new Map<string, unknown>();
  const names = new Map<string, readonly string[]>();
  const set = (path: string, value: unknown, variable: string) => {
    leaves.set(path, value);
    names.set(`telemetry.${path}`, [variable]);
  };
  for (const [variable, path, read] of VARIABLES) {
    const text = environment[variable]?.trim();
    if (!text) continue;
    const value = problemNamed(variable, text, () => read(text));
    if (value === undefined) continue;
    check(variable, text, path, value);
    set(path, value, variable);
  }
  sample(environment, set);
  if (leaves.size === 0) return { sections: {}, variables: {} };
  return { sections: { telemetry: sectionOf(leaves) }, variables: Object.fromEntries(names) };
}

/** The samplers of the specification: the ratio, and whether the client's trace decides. */
const SAMPLERS: Readonly<Record<string, { readonly ratio: number | null; readonly followsClient: boolean }>> = {
  always_on: { ratio: 1, followsClient: false },
  always_off: { ratio: 0, followsClient: false },
  traceidratio: { ratio: null, followsClient: false },
  parentbased_always_on: { ratio: 1, followsClient: true },
  parentbased_always_off: { ratio: 0, followsClient: true },
  parentbased_traceidratio: { ratio: null, followsClient: true },
};

function sample(environment: Environment, set: (path: string, value: unknown, variable: string) => void): void {
  const variable = 'OTEL_TRACES_SAMPLER';
  const name = environment[variable]?.trim();
  if (!name) return;
  const sampler = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined;
  if (sampler === undefined) throw problem(variable, name, `must be one of ${Object.keys(SAMPLERS).join(', ')}`);
  set('traces.follow_client', sampler.followsClient, variable);
  if (sampler.ratio !== null) {
    set('traces.sample_ratio', sampler.ratio, variable);
    return;
  }
  const argument = `${variable}_ARG`;
  const ratio = environment[argument]?.trim() || '1';
  check(argument, ratio, 'traces.sample_ratio', ratio);
  set('traces.sample_ratio', ratio, argument);
}

/** Checks the value by the schema of its setting. */
function check(variable: string, text: string, path: string, value: unknown): void {
  const parsed = telemetrySchema.safeParse(sectionOf(new Map([[path, value]])));
  if (!parsed.success) throw problem(variable, text, parsed.error.issues[0]?.message ?? 'is not valid');
}

function problemNamed<Value>(variable: string, text: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw problem(variable, text, error instanceof Error ? error.message : String(error));
  }
}

function problem(variable: string, text: string, rule: string): CommandError {
  const got = SECRET.test(variable) || PASSWORD.test(text) ? '' : ` (got ${JSON.stringify(text.slice(0, 100))})`;
  return new CommandError(`${variable}: ${rule}${got}`, 2);
}

/** Decodes one `name=value` of a list, in which the specification encodes special characters with `%`. */
function decodedPair(pair: string): string {
  const trimmed = pair.trim().replace(/\s*=\s*/, '=');
  try {
    return decodeURIComponent(trimmed);
  } catch {
    return trimmed;
  }
}
