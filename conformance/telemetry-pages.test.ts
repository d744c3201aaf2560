import { describe, expect, test } from 'bun:test';
import { stringify } from 'yaml';
import type { TelemetrySettings } from '../src/engine/settings/telemetry.ts';
import { parseConfiguration } from '../src/main/configuration/load-configuration.ts';
import { telemetryVariables } from '../src/main/configuration/telemetry-variables.ts';
import { providers } from '../src/providers/index.ts';
import * as names from '../src/telemetry/names.ts';
import { isObject } from './shared/json.ts';
import { readAttributes, TOOL_PAGES, textOfPage, unsentAttributes } from './shared/telemetry-pages.ts';

/* The pages about tools that read OTLP: their configuration is accepted, and their attributes are those of the spans. */

const SECRET = 'c2VjcmV0OnNlY3JldA==';
/** The names of attributes, and those that an operator adds to the resource. */
const SENT: ReadonlySet<string> = new Set([
  ...Object.values(names).flatMap((group) => (typeof group === 'string' ? [group] : Object.values(group))),
  'deployment.environment.name',
]);

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );
}

/** Returns the variables that a block sets, with a value for each `${NAME}`. */
function variablesIn(block: string): Record<string, string> {
  const lines = block.replaceAll(/\$\{\w+\}/g, SECRET).split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^(\w+)="?([^"]*)"?$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value ?? '']];
    }),
  );
}

function settingsOf(yaml: string): TelemetrySettings {
  const names = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, SECRET]);
  const options = { environment: Object.fromEntries(names), providers };
  return parseConfiguration('switchyard.yaml', yaml, options).telemetry;
}

const isOurs = (yaml: string) => {
  const parsed: unknown = Bun.YAML.parse(yaml);
  return isObject(parsed) && 'telemetry' in parsed;
};

describe.each([...TOOL_PAGES])('%s', (page) => {
  const text = textOfPage(page);
  const [variables = '', ...rest] = blocks(text, 'sh');
  const files = blocks(text, 'yaml').filter(isOurs);

  test('its variables and its file are accepted, and mean the same', () => {
    expect(rest).toEqual([]);
    const { sections } = telemetryVariables(variablesIn(variables));
    const fromVariables = settingsOf(stringify(sections));
    expect(fromVariables.traces.isOn).toBe(true);
    expect(settingsOf(files[0] ?? '')).toEqual(fromVariables);
    for (const file of files) expect(settingsOf(file).traces.isOn).toBe(true);
  });

  test('it names its sources and the day, and says that the service was not tried', () => {
    const [, sources = ''] = text.split('\n## Sources\n');
    expect(sources).toMatch(/\(https:\/\/[^)]+\)[\s\S]*read\s+on\s+20\d\d-\d\d-\d\d\.\s+This\s+page\s+was\s+/);
    expect(sources).toMatch(/(not\s+against|not\s+tried\s+with)/);
  });

  test('its attributes are those of the spans, and the others are not', () => {
    expect(readAttributes(page).filter((name) => !SENT.has(name))).toEqual([]);
    expect(unsentAttributes(page).filter((name) => SENT.has(name))).toEqual([]);
    expect(readAttributes(page).length + unsentAttributes(page).length).toBeGreaterThan(1);
  });

  test('the index links it', () => {
    expect(textOfPage('README.md')).toContain(`(${page})`);
  });
});
