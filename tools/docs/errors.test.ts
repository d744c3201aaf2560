import { describe, expect, test } from 'bun:test';
import path from 'node:path';
import { type CodeRule, ERROR_CODES, type ErrorCode, type HelpMember } from '../../src/domain/failure/error-codes.ts';

/* The page's statements about a code must hold wherever the code makes such a failure. */

const source = path.join(import.meta.dir, '..', '..', 'src');
const CODES: Readonly<Record<string, CodeRule | undefined>> = ERROR_CODES;

/** The envelope's member for each detail of a failure. */
const MEMBER_OF: Readonly<Record<string, HelpMember>> = {
  didYouMean: 'did_you_mean',
  suggestions: 'suggestions',
  hint: 'hint',
  retryAfterMs: 'retry_after',
  balanceNanoUsd: 'balance_usd',
  estimatedCostNanoUsd: 'estimated_cost_usd',
  alternatives: 'alternatives',
};

interface Site {
  readonly place: string;
  readonly code: string;
  /** The text of the arguments after the code. */
  readonly details: string;
}

async function sites(): Promise<readonly Site[]> {
  const found: Site[] = [];
  for await (const file of new Bun.Glob('**/*.ts').scan(source)) {
    if (file.endsWith('.test.ts') || file.split('/').includes('testing')) continue;
    const text = await Bun.file(path.join(source, file)).text();
    for (const match of text.matchAll(/new Failure\(\s*'(\w+)',/g)) {
      const start = match.index + match[0].length;
      found.push({
        place: `${file}: ${match[1]}`,
        code: match[1] ?? '',
        details: text.slice(start, endOf(text, start)),
      });
    }
  }
  return found;
}

/** Returns the position of the bracket that closes the one before `start`; brackets in texts come in pairs or do no harm here. */
function endOf(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if ('([{'.includes(text[at] ?? '')) depth++;
    else if (')]}'.includes(text[at] ?? '') && --depth === 0) return at;
  }
  return text.length;
}

const SITES = await sites();

test('the places are found', () => expect(SITES.length).toBeGreaterThan(60));

describe('each place creates the failure that the page describes', () => {
  for (const { place, code, details } of SITES) {
    test(place, () => {
      const { status, otherStatuses = [], side, otherSides = [], help = [] } = CODES[code] ?? ({} as Partial<CodeRule>);
      const members = Object.entries(MEMBER_OF).flatMap(([name, member]) =>
        new RegExp(`(?:^|[{(,\\s])${name}(?=[:,\\s}])`).test(details) ? [member] : [],
      );
      expect(members.filter((member) => !help.includes(member))).toEqual([]);
      for (const [, given] of details.matchAll(/\bstatus: (\d+)/g))
        expect([status, ...otherStatuses]).toContain(Number(given));
      for (const [, given] of details.matchAll(/\bside: '(\w+)'/g))
        expect([side, ...otherSides]).toContain(given as typeof side);
    });
  }
});

test('each code is created somewhere, except the listed ones', () => {
  const waiting: readonly ErrorCode[] = ['access_denied', 'async_task_not_found'];
  // A table converts administrators' errors into failures.
  const administrators: readonly ErrorCode[] = ['not_found', 'already_exists', 'precondition_failed'];
  const made = new Set(SITES.map(({ code }) => code));
  const unmade = Object.keys(ERROR_CODES).filter((code) => !made.has(code));
  expect(unmade.filter((code) => ![...waiting, ...administrators].some((one) => one === code))).toEqual([]);
});

describe('each code has its condition and the remedy', () => {
  for (const [code, { condition, remedy }] of Object.entries(ERROR_CODES)) {
    test(code, () => {
      // One sentence each, without characters that would end a cell of the table.
      for (const text of [condition, remedy]) expect(text).toMatch(/^[A-Z][^|\n]{8,180}\.$/);
    });
  }
});
