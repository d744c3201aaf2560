import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { asObject, parseJson } from '../shared/json.ts';
import {
  ALL_FORMATS,
  costOf,
  eventsOf,
  FORMATS,
  type LieAnswer,
  type LieBed,
  type LieFormat,
  startLieBed,
} from './bed.ts';
import { honestStream, honestWhole } from './wires.ts';

/*
 * Upstreams that report no usage, or zeros. The client gets the usage of the log and the charge, marked as estimated; a reported zero is a zero
 * (docs/usage.md).
 */

type Json = Readonly<Record<string, unknown>>;

const SILENT = { words: 3, usage: null };
const ZEROS = { words: 3, usage: { input: 20, output: 0 } };

let bed: LieBed;

beforeAll(async () => {
  bed = await startLieBed();
});
afterAll(async () => {
  await bed?.stop();
});

const PAIRS = ALL_FORMATS.flatMap((client) =>
  (client === 'openai-completions' ? [client] : FORMATS).map((wire) => [client, wire] as const),
);

const EXTRA: Partial<Readonly<Record<LieFormat, object>>> = {
  'openai-chat': { stream_options: { include_usage: true } },
  'openai-completions': { stream_options: { include_usage: true } },
};

describe.each(PAIRS)('a client of %s over %s', (client, wire) => {
  const whole = () => bed.ask({ client, wire, stream: false, first: { body: honestWhole(wire, SILENT) } });
  const streamed = (answer: typeof SILENT | typeof ZEROS) => {
    const extra = EXTRA[client];
    const first = { frames: honestStream(wire, answer) };
    return bed.ask({ client, wire, stream: true, first, ...(extra === undefined ? {} : { extra }) });
  };

  test('gets the estimate by which it is charged', async () => {
    const [one, other] = await Promise.all([whole(), streamed(SILENT)]);
    expectTold(one, usageIn(client, asObject(parseJson(one.text))));
    expectTold(other, usageOfStream(client, other.text));
    // Equal texts count the same, however they arrived.
    expect(other.row.output_tokens).toBe(one.row.output_tokens);
  });

  test('pays nothing for a response whose reported tokens are zero', async () => {
    const { row, text } = await streamed(ZEROS);
    // Anthropic's streams begin with one token, and the counts of a message never decrease.
    const output = wire === 'anthropic-messages' ? 1n : 0n;
    expect(row).toMatchObject({ usage_source: 'reported', input_tokens: 20n, output_tokens: output });
    expect(row.cost_nano).toBe(costOf(20n, output));
    expect(usageOfStream(client, text)).not.toHaveProperty('estimated');
  });
});

function expectTold({ row }: LieAnswer, usage: Json): void {
  const input = usage.prompt_tokens ?? usage.input_tokens ?? usage.promptTokenCount;
  const output = usage.completion_tokens ?? usage.output_tokens ?? usage.candidatesTokenCount;
  expect(row.usage_source).toBe('estimated');
  expect({ input, output, estimated: usage.estimated }).toEqual({
    ...{ input: Number(row.input_tokens), output: Number(row.output_tokens) },
    estimated: true,
  });
  expect(row.output_tokens).toBeGreaterThan(0n);
  expect(row.cost_nano).toBe(costOf(row.input_tokens ?? 0n, row.output_tokens ?? 0n));
}

function usageIn(client: LieFormat, answer: Json): Json {
  return asObject(client === 'gemini' ? answer.usageMetadata : answer.usage);
}

/** Returns the last usage in the events of a stream. */
function usageOfStream(client: LieFormat, text: string): Json {
  const events = eventsOf(text);
  const holders = client === 'openai-responses' ? events.map(({ response }) => asObject(response)) : events;
  return holders.map((event) => usageIn(client, event)).findLast((usage) => Object.keys(usage).length > 0) ?? {};
}
