import { describe, expect, test } from 'bun:test';
import { DEFAULT_TELEMETRY } from '../../engine/settings/telemetry.ts';
import { mergedSettings } from '../cli/merged-settings.ts';
import type { Environment } from '../cli/settings.ts';
import { TELEMETRY_VARIABLES, telemetryVariables } from './telemetry-variables.ts';

const settingsOf = (environment: Environment, stored = {}) =>
  mergedSettings(null, stored, environment).configuration.telemetry;

describe('the standard variables', () => {
  test('without any, nothing is exported', () => {
    expect(settingsOf({})).toEqual(DEFAULT_TELEMETRY);
  });

  test('an endpoint switches traces on, and its headers are decoded', () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-scope = one',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    };
    const { traces, otlp } = settingsOf(environment);
    expect(traces.isOn).toBe(true);
    expect(traces.otlp.timeoutMs).toBe(500);
    expect(otlp).toMatchObject({ endpoint: 'http://collector:4318', gzip: true, timeoutMs: 10_000 });
    expect(otlp.headers).toEqual([
      ['authorization', 'Bearer a=b'],
      ['x-scope', 'one'],
    ]);
  });

  test.each([
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/v1/traces' }, false],
    [{ OTEL_SDK_DISABLED: 'false', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/v1/traces' }, true],
  ])('%o decides whether traces are on', (environment, isOn) => {
    expect(settingsOf(environment).traces.isOn).toBe(isOn);
  });

  test('the SDK can be switched off as a whole', () => {
    expect(settingsOf({ OTEL_SDK_DISABLED: 'true', OTEL_TRACES_EXPORTER: 'otlp' }).isOn).toBe(false);
  });

  test.each([
    ['always_off', undefined, 0, false],
    ['traceidratio', '0.05', 0.05, false],
    ['parentbased_traceidratio', undefined, 1, true],
    ['parentbased_always_on', 'ignored', 1, true],
  ])('the sampler %s is understood', (sampler, argument, ratio, followsClient) => {
    const environment = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(settingsOf(environment).traces).toMatchObject({ sampleRatio: ratio, followsClient });
  });

  test('the names of the service and of its resource are taken, and the limits of the batch processor', () => {
    const environment = {
      OTEL_SERVICE_NAME: 'gateway-eu',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,team=a%20b',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
    expect(settingsOf(environment)).toMatchObject({
      serviceName: 'gateway-eu',
      resourceAttributes: [
        ['deployment.environment.name', 'prod'],
        ['team', 'a b'],
      ],
      traces: { queueSpans: 100, delayMs: 50, isOn: false },
    });
  });

  test('a setting from the API wins over a variable', () => {
    const stored = { telemetry: { traces: { sample_ratio: 0.5 } } };
    const { traces } = settingsOf({ OTEL_TRACES_SAMPLER: 'always_off' }, stored);
    expect(traces).toMatchObject({ sampleRatio: 0.5, followsClient: false });
  });

  test('each setting names its variable', () => {
    const { variables } = telemetryVariables({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' });
    expect(variables).toEqual({
      'telemetry.traces.follow_client': ['OTEL_TRACES_SAMPLER'],
      'telemetry.traces.sample_ratio': ['OTEL_TRACES_SAMPLER_ARG'],
    });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'OTEL_EXPORTER_OTLP_ENDPOINT: must be an address such as'],
    [
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'grpc',
      'OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf: send to the HTTP port',
    ],
    [
      'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION',
      'br',
      'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: must be gzip or none (got "br")',
    ],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', 'soon', 'OTEL_EXPORTER_OTLP_TIMEOUT: must be a number of milliseconds'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'OTEL_TRACES_EXPORTER: must be otlp or none (got "zipkin")'],
    ['OTEL_TRACES_SAMPLER', 'xray', 'OTEL_TRACES_SAMPLER: must be one of always_on,'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '-1', 'OTEL_BSP_MAX_QUEUE_SIZE: must be a whole number from'],
  ])('a wrong value of %s is an error that names it', (name, value, message) => {
    expect(() => telemetryVariables({ [name]: value })).toThrow(message);
  });

  test('an error about headers does not show them', () => {
    const read = () => telemetryVariables({ OTEL_EXPORTER_OTLP_HEADERS: 'a secret without a name' });
    expect(read).toThrow('OTEL_EXPORTER_OTLP_HEADERS: must be a header such as');
    expect(read).not.toThrow('a secret');
  });

  test('an address with a password is refused and not shown', () => {
    const read = () => telemetryVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:canary@collector.example' });
    expect(read).toThrow('OTEL_EXPORTER_OTLP_ENDPOINT: must be an address such as');
    expect(read).not.toThrow('canary');
  });

  test('docs/tracing.md names every variable', async () => {
    const page = await Bun.file(`${import.meta.dir}/../../../docs/tracing.md`).text();
    for (const variable of TELEMETRY_VARIABLES) expect(page).toContain(`\`${variable}\``);
  });
});
