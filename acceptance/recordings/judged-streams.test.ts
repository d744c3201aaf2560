import { describe, expect, test } from 'bun:test';
import { streamsOf, testKeptRules } from '../../conformance/judges/kept-rules.ts';
import { judgeStream } from '../../conformance/judges/streams.ts';
import { UNFAITHFUL_RECORDINGS, UNFAITHFUL_STREAMS } from '../../conformance/judges/unfaithful-recordings.ts';
import { serverSentEvents } from '../../conformance/readers/server-sent-events.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';

const exchanges = recordedExchanges();

testKeptRules(exchanges);

describe('the lists of exceptions', () => {
  test('name existing recordings', () => {
    const files = new Set(exchanges.map(({ file }) => file));
    const named = [...UNFAITHFUL_RECORDINGS.keys(), ...UNFAITHFUL_STREAMS.keys()];
    expect(named.filter((file) => !files.has(file))).toEqual([]);
  });
});

describe('a stream is validated as a whole', () => {
  test('for a recorded stream', () => {
    const stream = streamsOf(exchanges, 'anthropic/messages').find(({ responseBody }) =>
      responseBody.includes('"text_delta"'),
    );
    const recorded = serverSentEvents(stream?.responseBody ?? '');
    expect(judgeStream('anthropic-messages', recorded)).toEqual([]);
    const changed = recorded.map((event) => ({ ...event, data: event.data.replace('"text_delta"', '"text"') }));
    expect(judgeStream('anthropic-messages', changed).join()).toContain('/delta/type: is "text"');
  });
});
