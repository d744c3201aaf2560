import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { asObject, parseJson } from '../shared/json.ts';
import { withValue } from '../shared/json-text.ts';
import type { RecordingRow } from '../shared/recordings.ts';
import type { TestBed } from '../shared/test-bed.ts';
import { byProvider, type ChatCase, chatCases } from './chat-case.ts';
import { startChatBed } from './conformance-run.ts';
import {
  comparableAnswer,
  comparableRequest,
  expectedAnswer,
  firstByteDifference,
  withoutFilledIn,
} from './relayed-bytes.ts';

export interface Relayed {
  readonly status: number;
  /** The response that the client receives. */
  readonly answer: string;
  /** The body that the upstream receives. */
  readonly sent: string;
}

/** Sends the text unchanged. */
export async function relayChat({ gateway, replay }: TestBed, body: string): Promise<Relayed> {
  replay.clearJournal();
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body,
  });
  const answer = await response.text();
  return { status: response.status, answer, sent: replay.journal().at(-1)?.body ?? '' };
}

/** Defines the tests that each recorded chat is relayed byte for byte in both directions. */
export function testRelayedBytes(exchanges: readonly RecordingRow[]): void {
  describe('a relayed chat of the exchanges', () => {
    const cases = chatCases(exchanges).filter((one) => one.succeeds);
    let bed: TestBed;

    beforeAll(async () => {
      bed = await startChatBed(cases);
    });

    afterAll(() => bed?.stop());

    test.each([...byProvider(cases)])(
      'of %s keeps every byte, both ways',
      async (_provider, ofProvider) => {
        const problems: string[] = [];
        for (const one of ofProvider) problems.push(...(await byteProblems(bed, one)));
        expect(problems).toEqual([]);
      },
      600_000,
    );
  });
}

async function byteProblems(bed: TestBed, one: ChatCase): Promise<readonly string[]> {
  const body = clientBody(one);
  const { status, answer, sent } = await relayChat(bed, body);
  if (status !== 200) return [`${one.recording.file}: status ${status}: ${answer.slice(0, 200)}`];
  const request = comparableRequest(body, sent, one.recording.id);
  const expected = expectedAnswer(one.recording.responseBody, one.recording.stream, one.asksForUsage);
  const problems = {
    request: firstByteDifference(request.expected, request.sent),
    answer: firstByteDifference(
      expected,
      withoutFilledIn(comparableAnswer(answer, one.recording.stream), expected, one.recording.stream),
    ),
  };
  return Object.entries(problems).flatMap(([side, problem]) =>
    problem === undefined ? [] : [`${one.recording.file} (${one.recording.id}), ${side} ${problem}`],
  );
}

/** Returns the text of the recorded request, if there is one, with the public model id. */
function clientBody(one: ChatCase): string {
  const { requestBody } = one.recording;
  const recorded = requestBody === null ? undefined : asObject(parseJson(requestBody));
  if (requestBody === null || recorded?.model === undefined || recorded.messages === undefined) {
    return JSON.stringify({ ...one.request, model: one.publicId });
  }
  return withValue(requestBody, 'model', JSON.stringify(one.publicId));
}
