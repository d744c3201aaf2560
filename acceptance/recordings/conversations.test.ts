import { expect, test } from 'bun:test';
import { type MatrixCase, matrixCases } from '../../conformance/matrix/cases.ts';
import { type ExpectedAnswer, readRecordedRequest } from '../../conformance/readers/index.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';
import { type Conversation, conversationOf } from '../../dashboard/pages/requests/conversation/index.ts';
import type { Asked, Piece } from '../../dashboard/pages/requests/conversation/turns.ts';
import { objectOf, parseJson, textOf } from '../../dashboard/pages/shared/json.ts';

/* The request page's reading of captures, on recorded traffic in the four formats of clients. */

const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

/** The recorder left out the empty lines between the events. */
const NOT_EVENTS = 'gemini/generateContent/206-stream-basic-text-1.json';

const cases = matrixCases(recordedExchanges()).cases.filter(
  ({ upstream, recording: { provider, file } }) =>
    FORMATS.includes(upstream.format) && provider !== 'bedrock' && file !== NOT_EVENTS,
);

function shown({ upstream, recording, recordedForm }: MatrixCase, length?: number): Conversation | null {
  const type = recordedForm === 'stream' ? 'text/event-stream' : 'application/json';
  const request = { text: recording.requestBody, content_type: 'application/json' };
  return conversationOf(upstream.format, request, {
    text: recording.responseBody.slice(0, length),
    content_type: type,
  });
}

function joined(pieces: readonly Piece[], type: 'text' | 'refusal' | 'reasoning'): string {
  return pieces.map((piece) => (piece.type === type ? piece.text : '')).join('');
}

/** Returns what both readings have: all choices in one. */
function summary(conversation: Conversation | null) {
  const pieces = (conversation?.answered?.turns ?? []).flatMap((turn) => turn.pieces);
  return {
    text: joined(pieces, 'text'),
    refusal: joined(pieces, 'refusal'),
    reasoning: squeezed(joined(pieces, 'reasoning')),
    calls: pieces.flatMap((piece) => (piece.type === 'call' ? [piece.name] : [])),
  };
}

function expectedSummary({ candidates }: ExpectedAnswer) {
  return {
    text: candidates.map(({ text }) => text).join(''),
    refusal: candidates.map(({ refusal }) => refusal).join(''),
    reasoning: squeezed(candidates.map(({ reasoning }) => reasoning).join('')),
    calls: candidates.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)),
  };
}

/** Paragraphs of reasoning are joined differently. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}

test('a recorded response is shown with its whole text, reasoning and calls', () => {
  const differing: object[] = [];
  let compared = 0;
  for (const one of cases) {
    if (one.expected === null) continue;
    const { calls, ...read } = summary(shown(one));
    const { calls: expectedCalls, ...expected } = expectedSummary(one.expected);
    compared++;
    // Calls of the provider's own tools are shown, too.
    const missing = expectedCalls.filter((name) => !calls.includes(name));
    const isSame = Bun.deepEquals(read, expected) && missing.length === 0;
    if (!isSame) differing.push({ file: one.recording.file, read, expected, missing });
  }
  expect(differing).toEqual([]);
  expect(compared).toBeGreaterThan(500);
});

test('a recorded refusal is shown with its message', () => {
  const silent: string[] = [];
  let compared = 0;
  for (const one of cases) {
    // Some providers have an envelope of their own, which clients never get.
    const told = objectOf(parseJson(one.recording.responseBody)).error;
    if (one.outcome !== 'refused' || textOf(objectOf(told).message) === '') continue;
    compared++;
    if (shown(one)?.answered?.error?.message !== objectOf(told).message) silent.push(one.recording.file);
  }
  expect(silent).toEqual([]);
  expect(compared).toBeGreaterThan(20);
});

test('a truncated stream is shown as far as it goes', () => {
  const streams = cases.filter(({ recordedForm, expected }) => recordedForm === 'stream' && expected !== null);
  let shorter = 0;
  for (const one of streams) {
    const whole = summary(shown(one));
    for (const share of [0.2, 0.5, 0.9]) {
      const { text } = summary(shown(one, Math.floor(one.recording.responseBody.length * share)));
      // Several choices are shown one after the other.
      if (one.expected?.candidates.length === 1) expect(whole.text, one.recording.file).toStartWith(text);
      if (text !== '' && text.length < whole.text.length) shorter++;
    }
  }
  expect(shorter).toBeGreaterThan(100);
});

function textsIn(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => {
    if (piece.type === 'result') return textsIn(piece.pieces);
    // The mark of a text as reasoning may be cut off.
    return piece.type === 'text' || piece.type === 'reasoning' ? [piece.text] : [];
  });
}

const piecesOf = ({ turns }: Asked) => turns.flatMap(({ pieces }) => pieces);

test('a recorded request is shown with everything that was said, also if it is truncated', () => {
  let compared = 0;
  for (const { recording } of cases) {
    const request = readRecordedRequest(recording);
    if (request?.format == null) continue;
    const none = { text: null, content_type: null };
    const read = (text: string) => conversationOf(request.format ?? '', { text, content_type: null }, none)?.asked;
    const body = recording.requestBody ?? '';
    const whole = read(body);
    if (whole == null) continue;
    compared++;
    const cut = read(body.slice(0, Math.floor(body.length / 2)));
    const texts = textsIn(piecesOf(whole));
    const seen = (cut == null ? [] : piecesOf(cut)).filter(({ type }) => type !== 'result');
    for (const text of textsIn(seen)) {
      expect(
        texts.some((one) => one.startsWith(text)),
        recording.file,
      ).toBe(true);
    }
  }
  expect(compared).toBeGreaterThan(500);
});
