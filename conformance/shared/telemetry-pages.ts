import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './workspace.ts';

/* The pages about tools that read OTLP, in docs/telemetry. */

export const TELEMETRY_DOCS = join(PROJECT, 'docs', 'telemetry');

export const TOOL_PAGES: readonly string[] = readdirSync(TELEMETRY_DOCS).filter(
  (name) => name.endsWith('.md') && name !== 'README.md',
);

export function textOfPage(page: string): string {
  return readFileSync(join(TELEMETRY_DOCS, page), 'utf8');
}

/** Returns the attributes in the table of a page, which the tool reads and the gateway sends. */
export function readAttributes(page: string): readonly string[] {
  const [, section = ''] = textOfPage(page).split('\n## Attributes that it reads\n');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, name = '']) => name);
}

/** Returns the attributes that a page names as read by the tool and not sent by the gateway. */
export function unsentAttributes(page: string): readonly string[] {
  const [, rest = ''] = textOfPage(page).split('which the gateway does not send: ');
  const [list = ''] = rest.split('\n\n');
  return [...list.matchAll(/`([a-z0-9_.]+)`/g)].map(([, name = '']) => name).filter((name) => name.includes('.'));
}
