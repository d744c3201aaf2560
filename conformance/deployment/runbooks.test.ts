import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { METRICS } from '../../src/transports/ops/catalogue/catalogue.ts';
import { RUNBOOK_PAGES } from '../../tools/monitoring/alerts/alert.ts';
import { ALERTS } from '../../tools/monitoring/alerts/index.ts';
import { OBJECTIVE_RULES } from '../../tools/monitoring/alerts/objective.ts';
import { PROJECT, Workspace } from '../shared/workspace.ts';

/* Every alert has its section in docs/runbooks, and what the sections name exists. */

const textOf = (page: string) => readFileSync(path.join(PROJECT, 'docs', 'runbooks', `${page}.md`), 'utf8');
const pages = RUNBOOK_PAGES.map((page) => ({ page, text: textOf(page) }));

const PARTS = ['Meaning', 'Confirm', 'Do', 'Prevent'];

interface Section {
  readonly page: string;
  readonly title: string;
  readonly body: string;
}

const sections: readonly Section[] = pages.flatMap(({ page, text }) =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { page, title, body: lines.join('\n') };
    }),
);

test('every alert has one section on its page, and every section an alert', () => {
  const described = sections.map(({ page, title }) => `${page}#${title}`);
  expect(described.toSorted()).toEqual(ALERTS.map(({ page, name }) => `${page}#${name}`).toSorted());
});

test.each(sections.map((section) => [section.title, section] as const))(
  '%s is explained in four parts',
  (_, { body }) => {
    expect([...body.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part]) => part)).toEqual(PARTS);
  },
);

const SUFFIX = /_(?:bucket|count|sum)$/;

test('every metric that a rule or a runbook names is one of the catalogue', () => {
  const texts = [
    ...ALERTS.map(({ expr }) => expr),
    ...OBJECTIVE_RULES.map(({ expr }) => expr),
    ...pages.map(({ text }) => text),
  ];
  const named = texts.flatMap((text) => text.match(/\bswitchyard_\w+/g) ?? []);
  const unknown = named.filter((name) => !(name in METRICS) && !(name.replace(SUFFIX, '') in METRICS));
  expect([...new Set(unknown)]).toEqual([]);
});

describe('commands', () => {
  let space: Workspace;
  beforeAll(async () => {
    space = await Workspace.create();
  });
  afterAll(() => space.remove());

  const commands = new Set(
    pages.flatMap(({ text }) =>
      [...text.matchAll(/(?:^|`)switchyard ([a-z][^`\n]*)/gm)].map(([, rest = '']) => rest.trim()),
    ),
  );

  test.each([...commands])('switchyard %s exists, with its options', async (command) => {
    const words = command.split(/\s+/);
    const names = words.slice(0, words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word)) >>> 0);
    const { exitCode, stdout } = await space.run([...names, '--help']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Usage: switchyard ${names.join(' ')}`)]);
    for (const option of words.filter((word) => word.startsWith('--'))) expect(stdout).toContain(option);
  });
});
