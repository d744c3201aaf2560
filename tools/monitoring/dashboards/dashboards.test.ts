import { describe, expect, test } from 'bun:test';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { ALERTS } from '../alerts/index.ts';
import { built } from './dashboard.ts';
import { DASHBOARDS } from './index.ts';

/* Rules for every dashboard. acceptance/monitoring runs the queries, and acceptance/helm judges the JSON. */

test('every dashboard has an address and a title of its own', () => {
  const all = DASHBOARDS.map(built);
  expect(new Set(all.map(({ uid }) => uid)).size).toBe(DASHBOARDS.length);
  expect(new Set(all.map(({ title }) => title)).size).toBe(DASHBOARDS.length);
});

describe.each(DASHBOARDS.map((source) => [source.title, built(source)] as const))('%s', (_, dashboard) => {
  const all = (dashboard.panels ?? []) as readonly Panel[];
  const panels = all.filter(({ type }) => type !== 'row');

  test('numbers its panels', () => {
    expect(all.map(({ id }) => id)).toEqual(all.map((_panel, index) => index + 1));
  });

  test('explains every panel in sentences', () => {
    for (const { title, description } of panels)
      expect([title, description]).toEqual([title, expect.stringMatching(/^\S.+[.…]$/s)]);
  });

  test('gives every panel a unit and a place within the 24 columns', () => {
    for (const { type, fieldConfig, gridPos } of panels) {
      if (type !== 'table') expect(fieldConfig?.defaults.unit).toBeString();
      expect((gridPos?.x ?? 0) + (gridPos?.w ?? 0)).toBeLessThanOrEqual(24);
    }
  });

  test('uses only variables that it has, and all of its own', () => {
    const variables = (dashboard.templating.list ?? []).map(({ name }) => name);
    const text = JSON.stringify([dashboard.panels, dashboard.annotations, dashboard.templating]);
    const used = [...text.matchAll(/"\$(\w+)|\\"\$(\w+)\\"/g)].map(([, inJson, inQuery]) => inJson ?? inQuery ?? '');
    const chosen = used.filter((name) => !name.startsWith('__'));
    expect([...new Set(chosen)].toSorted()).toEqual(variables.toSorted());
  });

  test('looks at chosen gateways only', () => {
    for (const { targets = [] } of panels) {
      for (const target of targets as readonly { readonly expr?: string }[]) {
        const selectors = target.expr?.match(/\{[^}]*\}/g) ?? [];
        const foreign = selectors.filter((selector) => !/job=~"\$job"|alertname=/.test(selector));
        expect(foreign).toEqual([]);
      }
    }
  });
});

test('every alert has a panel that links to its runbook', () => {
  const text = JSON.stringify(DASHBOARDS.map(built));
  const unlinked = ALERTS.filter(({ name }) => !text.includes(`#${name.toLowerCase()}"`)).map(({ name }) => name);
  expect(unlinked).toEqual([]);
});
