import type { Guard } from '../src/domain/guards/guard.ts';
import { GuardsInForce } from '../src/engine/directory/guards-in-force.ts';
import { CallGuard } from '../src/engine/guards/call-guard.ts';
import { CheckedEvents } from '../src/engine/guards/checked-events.ts';
import { guardedBody } from '../src/engine/guards/guard-request.ts';

/*
 * Prints the time that each kind of rule adds to a request of 10 KB, and to each event of a stream. Moderation models and webhooks add their own
 * response time. Usage: `bun bench/guards.ts`.
 */

const ROUNDS = 200;
const EVENTS = 500;
const WORDS = 'The quick brown fox jumps over the lazy dog at 12:30 and writes to no one. ';

const KINDS: Readonly<Record<string, Partial<Guard>>> = {
  pii: { pii: (['email', 'phone', 'card', 'iban', 'secret'] as const).map((kind) => ({ kind, action: 'mask' })) },
  patterns: { patterns: [{ name: 'ticket', pattern: '\\bTCK-\\d{6}\\b', ignoreCase: false, action: 'refuse' }] },
  terms: {
    terms: [
      { name: 'words', terms: ['bluebird', 'nightfall'], withinWords: false, leetspeak: false, action: 'refuse' },
    ],
  },
};

for (const [kind, rules] of Object.entries(KINDS)) {
  const body = new TextEncoder().encode(JSON.stringify({ messages: [{ role: 'user', content: WORDS.repeat(136) }] }));
  let startedMs = performance.now();
  for (let round = 0; round < ROUNDS; round++) await guardedBody(body, callWith(rules));
  const requestMs = (performance.now() - startedMs) / ROUNDS;
  const events = new CheckedEvents(callWith(rules), 400);
  startedMs = performance.now();
  for (let at = 0; at < EVENTS; at++) {
    const json = JSON.stringify({ choices: [{ index: 0, delta: { content: WORDS.slice(at % 40, (at % 40) + 20) } }] });
    await events.event({ before: 'data: ', json, after: '\n\n' });
  }
  const eventUs = ((performance.now() - startedMs) * 1_000) / EVENTS;
  console.log(`${kind.padEnd(10)} ${requestMs.toFixed(3)} ms a request of 10 KB, ${eventUs.toFixed(1)} µs an event`);
}

function callWith(rules: Partial<Guard>): CallGuard {
  const guard: Guard = {
    ...{ id: 'bench', name: 'Bench', stages: ['input', 'output'], patterns: [], pii: [], terms: [] },
    ...{ unguarded: 'refuse', createdAtMs: 0, origin: 'operator' },
    ...rules,
  };
  const call = new CallGuard(GuardsInForce.among([guard], []), {
    checks: { of: () => [] },
    facts: { requestId: 'req', accountId: 'acme', keyId: 'key' },
    signal: new AbortController().signal,
    checkFailed: () => undefined,
  });
  call.apply(['bench']);
  return call;
}
