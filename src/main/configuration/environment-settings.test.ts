import { expect, test } from 'bun:test';
import { environmentSettings } from './environment-settings.ts';

test('the variables of logs are settings of the section logs', () => {
  const { sections, variables } = environmentSettings({
    LOG_LEVEL: 'warn,routing=debug',
    LOG_FORMAT: 'json',
    ACCESS_LOG: '-',
  });
  expect(sections.logs).toEqual({ level: 'warn,routing=debug', format: 'json', access_log: '-' });
  expect(variables['logs.level']).toEqual(['LOG_LEVEL']);
  expect(environmentSettings({ LOG_LEVEL: '' }).sections).toEqual({});
});

test.each([
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be one of trace, debug, info'],
  [{ LOG_LEVEL: 'info,rooting=debug' }, 'LOG_LEVEL: has no component "rooting". The components are access, alerts'],
  [{ LOG_FORMAT: 'xml' }, 'LOG_FORMAT: must be one of json, pretty'],
])('%p is refused with what is possible', (environment, problem) => {
  expect(() => environmentSettings(environment)).toThrow(problem);
});

test('log lines are exported only if that is asked for, not because there is a collector', () => {
  const logsOf = (environment: Record<string, string>) => {
    const { telemetry } = environmentSettings(environment).sections as { telemetry?: { logs?: { enabled?: boolean } } };
    return telemetry?.logs?.enabled;
  };
  expect(logsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).toBeUndefined();
  expect(logsOf({ OTEL_LOGS_EXPORTER: 'otlp' })).toBe(true);
  expect(logsOf({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector:4318/v1/logs' })).toBe(true);
});
