import { parseAddressRange } from '../src/domain/access/network-address.ts';
import { Failure } from '../src/domain/failure/failure.ts';
import type { Guard } from '../src/domain/guards/guard.ts';
import { GuardsInForce } from '../src/engine/directory/guards-in-force.ts';
import { WebhookCheck } from '../src/engine/guard-checks/webhook-check.ts';
import { WebhookGates } from '../src/engine/guard-checks/webhook-gate.ts';
import { CallGuard } from '../src/engine/guards/call-guard.ts';
import { CheckedEvents } from '../src/engine/guards/checked-events.ts';
import type { GuardCheck } from '../src/engine/guards/guard-check.ts';
import { guardedBody } from '../src/engine/guards/guard-request.ts';
import { GuardedWebhooks } from '../src/upstream/guarded-webhooks.ts';
import { Slots } from '../src/upstream/slots.ts';

/*
 * Prints the time that each kind of rule and check adds to a request of 10 KB, and to each event of a stream. The webhook and the moderation model
 * are on this machine and answer at once, so that what is left is the gateway's own time and a connection. Usage: `bun bench/guards.ts`.
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

const server = Bun.serve({ port: 0, fetch: () => Response.json({ action: 'allow', results: [] }) });
const address = `http://127.0.0.1:${server.port}/`;
const loopback = parseAddressRange('127.0.0.0/8');
const settings = { allowHttp: true, allowedRanges: loopback.ok ? [loopback.range] : [], deniedRanges: [] };
const webhook = { url: address, secret: 'whsec_AAAA', onFailure: 'closed', timeoutMs: 3_000 } as const;
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const SLOTS = { running: 64, runningPerAccount: 32, waiting: 256, waitingPerAccount: 64 };
const CHECKS: Readonly<Record<string, GuardCheck>> = {
  webhook: new WebhookCheck(
    {
      ...{ sender: new GuardedWebhooks({ settings }), clock, newId: () => 'grd_bench' },
      gates: new WebhookGates({ clock, newSlots: () => new Slots(SLOTS) }),
    },
    { id: 'bench' },
    webhook,
  ),
  // A moderation is a request over a kept connection, as to any model.
  moderation: {
    ...{ name: 'moderation', onFailure: 'closed' },
    check: async ({ texts }) => {
      const answer = await fetch(address, { method: 'POST', body: JSON.stringify({ input: texts }) });
      await answer.json();
      return { verdicts: [] };
    },
  },
};

for (const kind of [...Object.keys(KINDS), ...Object.keys(CHECKS)]) {
  const rules = KINDS[kind] ?? {};
  const body = new TextEncoder().encode(JSON.stringify({ messages: [{ role: 'user', content: WORDS.repeat(136) }] }));
  let startedMs = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    const checked = await guardedBody(body, callWith(rules, CHECKS[kind]));
    if (checked instanceof Failure) throw checked;
  }
  const requestMs = (performance.now() - startedMs) / ROUNDS;
  const events = new CheckedEvents(callWith(rules, CHECKS[kind]), 400);
  startedMs = performance.now();
  for (let at = 0; at < EVENTS; at++) {
    const json = JSON.stringify({ choices: [{ index: 0, delta: { content: WORDS.slice(at % 40, (at % 40) + 20) } }] });
    await events.event({ before: 'data: ', json, after: '\n\n' });
  }
  const eventUs = ((performance.now() - startedMs) * 1_000) / EVENTS;
  console.log(`${kind.padEnd(10)} ${requestMs.toFixed(3)} ms a request of 10 KB, ${eventUs.toFixed(1)} µs an event`);
}

await server.stop(true);

function callWith(rules: Partial<Guard>, check?: GuardCheck): CallGuard {
  const guard: Guard = {
    ...{ id: 'bench', name: 'Bench', stages: ['input', 'output'], patterns: [], pii: [], terms: [] },
    ...{ unguarded: 'refuse', createdAtMs: 0, origin: 'operator' },
    ...rules,
  };
  const call = new CallGuard(GuardsInForce.among([guard], []), {
    checks: { of: () => (check === undefined ? [] : [check]), problemOf: () => null },
    facts: { requestId: 'req', accountId: 'acme', keyId: 'key' },
    signal: new AbortController().signal,
    checkFailed: () => undefined,
  });
  call.apply(['bench']);
  return call;
}
