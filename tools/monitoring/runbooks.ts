import type { Alert } from './alerts/alert.ts';
import { ALERTS, alertNamed, pagesOf } from './alerts/index.ts';

/** Where the documentation is published. The Helm chart has a value for another place. */
export const RUNBOOKS_URL = 'https://github.com/switchyard/switchyard/blob/main/docs/runbooks';

/** Returns the address of the section about an alert. Throws if there is no such alert. */
export function runbookUrl(name: string): string {
  const { page } = alertNamed(name);
  return `${RUNBOOKS_URL}/${page}.md#${name.toLowerCase()}`;
}

const INTRODUCTION = [
  '# Runbooks',
  '',
  'Generated from `tools/monitoring` by `npm run generate`; the pages that it links to are written by hand.',
  '',
  'One section for each alert of [`deploy/prometheus/rules.yaml`](../../deploy/prometheus/rules.yaml): what it means, how to confirm it, what to do,',
  'and how to prevent it. [monitoring.md](../monitoring.md) says how to install the rules and the dashboards.',
  '',
  '`critical` means that clients fail or money is at risk: wake someone. `warning` means that it can wait for working hours.',
].join('\n');

/** Returns the page that lists all alerts. */
export function runbookIndex(): string {
  const tables = pagesOf(ALERTS).map(([page, alerts]) => {
    const rows = alerts.map((alert) => row(alert));
    const title = `${page[0]?.toUpperCase()}${page.slice(1)}`;
    return [`## ${title}`, '', '| alert | severity | after | summary |', '|---|---|---|---|', ...rows].join('\n');
  });
  return `${[INTRODUCTION, ...tables].join('\n\n')}\n`;
}

function row({ name, page, severity, for: lasting, summary }: Alert): string {
  const text = summary.replace(/\{\{ \$labels\.(\w+) \}\}/g, '*$1*');
  return `| [${name}](${page}.md#${name.toLowerCase()}) | ${severity} | ${lasting ?? 'at once'} | ${text} |`;
}
