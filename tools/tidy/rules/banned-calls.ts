import type { FileFacts, ReferenceFact, Rule, Violation } from '../facts.ts';
import { holdsTests, isInSource, isShippedSource, isTestFile, placeOf } from '../layout.ts';
import { readsTheClock } from './pure-domain.ts';

const name = 'banned-calls';

interface Ban {
  readonly what: string;
  /** Returns the lines of the file on which it occurs. */
  readonly find: (file: FileFacts) => number[];
  readonly appliesTo: (path: string, file: FileFacts) => boolean;
  readonly why: string;
  readonly instead: string;
}

const BANS: readonly Ban[] = [
  {
    what: 'console',
    find: references((used) => used.name === 'console' || used.name.startsWith('console.')),
    appliesTo: shippedOutside('main', 'domain'),
    why: 'it has no level, no fields and no redaction',
    instead: 'use the Logger port',
  },
  {
    what: 'JSON.parse(JSON.stringify(…))',
    find: references(
      (used) => used.name === 'JSON.parse' && /^JSON\s*\.\s*stringify\s*\(/.test(used.argumentTexts[0] ?? ''),
    ),
    // A test may be about exactly what such a round trip does.
    appliesTo: (_path, file) => !holdsTests(file),
    why: 'it loses undefined, bigint and dates',
    instead: 'use structuredClone, or build the copy explicitly',
  },
  {
    what: 'Math.random',
    find: references((used) => used.name === 'Math.random'),
    appliesTo: shippedOutside('main', 'domain'),
    why: 'it cannot be seeded in a test and is not a source of secrets',
    instead: 'take a random function as an option (wired in main), or node:crypto for ids and secrets',
  },
  {
    what: 'the system clock',
    find: references(readsTheClock),
    appliesTo: shippedWithin('engine'),
    why: 'a test cannot control it',
    instead: 'use the Clock port',
  },
  {
    what: 'setTimeout or setInterval',
    find: references((used) => used.name === 'setTimeout' || used.name === 'setInterval'),
    appliesTo: shippedWithin('engine'),
    why: 'a test would have to wait for it',
    instead: "wait through a port that main wires to the runtime's timers",
  },
  {
    what: 'fetch',
    find: references((used) => used.name === 'fetch' || used.name === 'Bun.fetch'),
    appliesTo: shippedOutside('upstream', 'domain'),
    why: 'it would bypass the pools, timeouts and cancellation of src/upstream',
    instead: 'use the Upstream port',
  },
  {
    what: 'money as a float',
    find: references(
      (used) =>
        ['parseFloat', 'Number', 'Number.parseFloat'].includes(used.name) &&
        used.argumentTexts.some((text) => /usd|price|pricing/i.test(text)),
    ),
    appliesTo: shippedOutside(),
    why: 'a float loses fractions of a cent, and sums drift',
    instead: 'use the integers of src/domain/money, which parse decimal text exactly',
  },
  {
    what: 'eval',
    find: references((used) => used.name === 'eval' || used.name === 'Function'),
    appliesTo: everywhere,
    why: 'it runs text as code',
    instead: 'write the code',
  },
  {
    what: 'as any',
    find: (file) => [...file.anyCasts],
    appliesTo: (path) => !isTestFile(path) && !/^(conformance|acceptance)\//.test(path),
    why: 'it disables the type checker for everything that follows',
    instead: 'parse the value, or narrow unknown',
  },
  {
    what: '@ts-ignore',
    find: comments(/@ts-(ignore|nocheck)\b/),
    appliesTo: everywhere,
    why: 'it stays after the error is gone',
    instead: 'fix the type, or use @ts-expect-error with a reason',
  },
  {
    what: 'a note of unfinished work',
    find: comments(/\b(TODO|FIXME)\b/),
    appliesTo: isInSource,
    why: 'it will be forgotten',
    instead: 'do it, or open an issue',
  },
];

/** Bans calls, each with an alternative: a ban without one is only obeyed by accident. */
export const bannedCalls: Rule = {
  name,
  check: (files) => files.flatMap((file) => BANS.flatMap((ban) => applyBan(ban, file))),
};

function applyBan(ban: Ban, file: FileFacts): Violation[] {
  if (!ban.appliesTo(file.path, file)) return [];
  const message = `${ban.what}: ${ban.why}; ${ban.instead}`;
  return ban.find(file).map((line) => ({ path: file.path, line, rule: name, message }));
}

function references(isBanned: (used: ReferenceFact) => boolean) {
  return (file: FileFacts) => file.references.filter(isBanned).map((used) => used.line);
}

function comments(banned: RegExp) {
  return (file: FileFacts) => file.comments.filter(({ text }) => banned.test(text)).map(({ line }) => line);
}

function everywhere(): boolean {
  return true;
}

/** Some bans exclude the domain, where the rule `pure-domain` reports the same. */
function shippedOutside(...rooms: readonly string[]) {
  return (path: string) => isShippedSource(path) && !rooms.includes(placeOf(path)?.room ?? '');
}

function shippedWithin(...rooms: readonly string[]) {
  return (path: string) => !isTestFile(path) && rooms.includes(placeOf(path)?.room ?? '');
}
