import { expect, test } from 'bun:test';
import type { Carries } from '../domain/exchange/loss.ts';
import { type ExchangeRequest, emptyRequest } from '../domain/exchange/request.ts';
import { Failure } from '../domain/failure/failure.ts';
import { upstreamFormats } from '../formats/index.ts';
import type { Quirk } from '../formats/text/quirk.ts';
import { providers } from './index.ts';

/* Whatever a provider lacks, nothing is lost by a value that equals the default. */

const FUNCTION = { type: 'function', name: 'f', description: null, parameters: null, strict: null } as const;

const USUAL: ExchangeRequest = {
  ...emptyRequest('other', {}),
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  tools: [FUNCTION],
  ...{ toolChoice: { mode: 'auto' }, parallelToolCalls: true, temperature: 1, topK: 0, candidateCount: 1 },
  ...{ frequencyPenalty: 0, presencePenalty: 0, logitBias: {}, verbosity: 'medium', modalities: ['text'] },
  ...{ responseFormat: { type: 'text' }, metadata: {}, user: '', cacheKey: '', serviceTier: 'auto' },
};

function carriesWith(carries: Carries, quirks: readonly Quirk[]): Carries {
  const lacked = quirks.flatMap((quirk) =>
    quirk.kind === 'lacks' ? [[quirk.feature, { verdict: quirk.verdict, why: quirk.why }] as const] : [],
  );
  return { ...carries, ...Object.fromEntries(lacked) };
}

const ROWS = [...providers.values()].flatMap(({ name, formats }) =>
  formats.map(({ format, quirks = [] }) => [name, format, quirks] as const),
);

test.each(ROWS)('%s in %s, with everything that any of its models lacks', (_, name, all) => {
  // With tools a model loses its reasoning there, which is more than a default value.
  const quirks = all.filter(({ kind }) => kind !== 'tools-at-rest');
  const format = upstreamFormats.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  // A provider without function calls loses more than a default value.
  const tools = quirks.some((quirk) => quirk.kind === 'lacks' && quirk.feature === 'function-tools') ? [] : USUAL.tools;
  const carries = carriesWith(format.carries, quirks);
  const target = { upstreamModel: 'up', stream: true, provider: 'p', channel: 'c', quirks, carries };
  const encoded = format.encodeRequest({ ...USUAL, tools }, target);
  if (encoded instanceof Failure) throw new Error(encoded.message);
  expect(encoded.losses).toEqual([]);
});
