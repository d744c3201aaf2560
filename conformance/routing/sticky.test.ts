import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { channelTo, chatAnswer } from '../first-light/upstream.ts';
import type { ClientFormat } from '../readers/index.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { ACME, BETA, type RoutingBed, startRoutingBed } from './bed.ts';
import { type Answer, CLIENT_FORMATS, incomplete, inParallel } from './client.ts';
import { broken, counts, forgetAll, upstreamsNamed } from './upstreams.ts';

const TURNS = 10;
const upstreams = upstreamsNamed('one', 'two', 'three');
const CHANNELS = Object.values(upstreams);
let bed: RoutingBed;

beforeAll(async () => {
  bed = await startRoutingBed({
    channels: CHANNELS.flatMap((upstream) => [
      channelTo(upstream, {
        id: upstream.id,
        models: ['talk', 'single', 'short', 'apart'],
        breaker: { minimum_requests: 100 },
      }),
      channelTo(upstream, {
        ...{ id: `${upstream.id}-responses`, provider: 'openai', formats: ['openai-responses'] },
        models: { thinker: 'gpt-5-mini' },
      }),
    ]),
  });
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of CHANNELS) await upstream.stop();
});

beforeEach(() => {
  for (const upstream of CHANNELS) upstream.answer = chatAnswer;
  forgetAll(upstreams);
});

/** More than the 4 KB from which a prompt prefix counts as cacheable. */
const beginning = (name: string) => `The conversation ${name}. ${'It begins with a long document. '.repeat(200)}`;

function turnsOf(name: string, number: number): string[] {
  const turns = [beginning(name)];
  for (let turn = 2; turn <= number; turn++) turns.push(`The answer ${turn - 1}.`, `The question ${turn} of ${name}.`);
  return turns;
}

/** A request that advances the rotation, so that no conversation keeps its channel by chance. */
const other = () => bed.ask({ model: 'talk' });

interface Conversation {
  readonly name: string;
  readonly format?: ClientFormat;
  readonly key?: string;
  readonly model?: string;
}

function ask(
  { name, format = 'openai-chat', key = ACME, model = 'talk' }: Conversation,
  turn: number,
): Promise<Answer> {
  return bed.ask({ model, format, key, turns: turnsOf(name, turn), stream: turn % 2 === 0 });
}

describe('a conversation whose prefix an upstream may have cached', () => {
  for (const format of CLIENT_FORMATS) {
    test(`stays with its channel for ${TURNS} turns, while the channels have equal weights (${format})`, async () => {
      const names = Array.from({ length: 7 }, (_, index) => `${format}-${index}`);
      const channels = new Map<string, string[]>(names.map((name) => [name, []]));
      for (let turn = 1; turn <= TURNS; turn++) {
        for (const name of names) {
          const answer = await ask({ name, format }, turn);
          expect(incomplete([answer])).toEqual([]);
          channels.get(name)?.push(answer.channel);
          if (turn % 2 === 0) await other();
        }
      }
      for (const visited of channels.values()) expect(new Set(visited).size).toBe(1);
      // The conversations are spread over the channels.
      expect(new Set([...channels.values()].map(([first]) => first)).size).toBeGreaterThan(1);
    });
  }

  test('is separate from the same conversation of another account', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `of-both-${index}`);
    const channelsFor = (key: string, turn: number) =>
      inParallel(names.length, 1, async (index) => {
        const answer = await ask({ name: names[index]!, key, model: 'apart' }, turn);
        return answer.channel;
      });
    const ofAcme = await channelsFor(ACME, 1);
    await bed.ask({ model: 'apart' });
    // The rotation has advanced by one. Beta's conversations follow it, and Acme's keep their channels.
    expect(await channelsFor(BETA, 2)).not.toEqual(ofAcme);
    expect(await channelsFor(ACME, 2)).toEqual(ofAcme);
  });

  test('moves to another channel without an error when its own fails, and stays there', async () => {
    const conversation = { name: 'that moves' };
    await ask(conversation, 1);
    const before = await ask(conversation, 2);
    const failing = CHANNELS.find(({ id }) => id === before.channel);
    failing!.answer = broken;
    const moved = await ask(conversation, 3);
    expect(incomplete([moved])).toEqual([]);
    expect(moved).toMatchObject({ retryCount: 1 });
    expect(moved.channel).not.toBe(before.channel);
    for (let turn = 4; turn <= 8; turn++) {
      // The new channel's upstream has the prefix in its cache now, even after the old channel recovers.
      if (turn === 6) failing!.answer = chatAnswer;
      const answer = await ask(conversation, turn);
      expect(answer).toMatchObject({ isComplete: true, channel: moved.channel, retryCount: 0 });
    }
  });
});

describe('a session', () => {
  /** Sends a short request that has nothing but its session in common with others. */
  async function inSession(session: string, key = ACME): Promise<string> {
    const response = await fetch(`${bed.serving.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'apart', session_id: session },
        messages: [{ role: 'user', content: crypto.randomUUID() }],
      }),
    });
    expect(response.status).toBe(200);
    return String(asObject(asObject(parseJson(response.headers.get('x-routing') ?? '')).channel).id);
  }

  test('stays with its channel, separate from the session of the same name of another account', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `session-${index}`);
    const channels = new Map<string, string>();
    for (const name of names) channels.set(name, await inSession(name));
    expect(new Set(channels.values()).size).toBe(3);
    // The rotation has advanced by one.
    await bed.ask({ model: 'apart' });
    const ofBeta: string[] = [];
    for (const name of names) ofBeta.push(await inSession(name, BETA));
    expect(ofBeta).not.toEqual([...channels.values()]);
    for (const [name, channel] of channels) expect(await inSession(name)).toBe(channel);
  });

  test('moves when its channel fails, and stays at the new one', async () => {
    const before = await inSession('that moves');
    const failing = CHANNELS.find(({ id }) => id === before);
    failing!.answer = broken;
    const moved = await inSession('that moves');
    expect(moved).not.toBe(before);
    failing!.answer = chatAnswer;
    for (let request = 0; request < 4; request++) expect(await inSession('that moves')).toBe(moved);
  });
});

describe('no channel is kept for', () => {
  test('requests of a single turn, however long', async () => {
    const answers = await inParallel(30, 1, () => bed.ask({ model: 'single', turns: turnsOf('single', 1) }));
    expect(incomplete(answers)).toEqual([]);
    expect(counts(upstreams)).toEqual([10, 10, 10]);
  });

  test('short conversations', async () => {
    const turns = ['Hello', 'Good day!', 'How are you?'];
    await bed.ask({ model: 'short', turns: turns.slice(0, 1) });
    forgetAll(upstreams);
    const answers = await inParallel(30, 1, () => bed.ask({ model: 'short', turns }));
    expect(incomplete(answers)).toEqual([]);
    expect(counts(upstreams)).toEqual([10, 10, 10]);
  });
});

describe('a short conversation with opaque state', () => {
  let serial = 0;
  const thinking = () => {
    const id = ++serial;
    return Response.json({
      ...{ id: `resp_${id}`, object: 'response', created_at: 1, status: 'completed', model: 'gpt-5-mini' },
      output: [
        { type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: `gAAAA${btoa(`thought ${id}`)}` },
        {
          ...{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'So be it.', annotations: [] }],
        },
      ],
      usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
    });
  };

  /** Runs one turn; resolves to the channel that answered and the conversation with the response appended. */
  async function respond(input: readonly unknown[]) {
    const response = await fetch(`${bed.serving.origin}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'thinker', store: false, include: ['reasoning.encrypted_content'], input }),
    });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 200 });
    const channel = asObject(asObject(parseJson(response.headers.get('x-routing') ?? '')).channel).id;
    return { channel, input: [...input, ...asArray(asObject(parseJson(text)).output)] };
  }

  const question = (content: string) => ({ type: 'message', role: 'user', content });

  test('goes to the channel that issued the state', async () => {
    for (const upstream of CHANNELS) upstream.answer = thinking;
    for (let number = 0; number < 4; number++) {
      let turn = await respond([question('What is to be done?')]);
      const { channel: issuer } = turn;
      for (let next = 0; next < 4; next++) {
        await respond([question('Something else.')]);
        turn = await respond([...turn.input, question('And then?')]);
        expect(turn.channel).toBe(issuer);
      }
    }
  });
});
