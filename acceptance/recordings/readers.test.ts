import { describe } from 'bun:test';
import { testDirectReadings } from '../../conformance/matrix/sdks/direct-readings.ts';
import { testReaders } from '../../conformance/readers/readable-exchanges.ts';
import { testSdkReadings } from '../../conformance/readers/sdk-readings.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';

describe('recorded answers', () => {
  testReaders(recordedExchanges(), [
    'anthropic/messages/902-issue-200-in-stream-overloaded.json',
    'openai/responses/189-openai-error-1.json',
  ]);
});

testSdkReadings(recordedExchanges());

// One in three keeps the test short; the matrix compares them all.
testDirectReadings(recordedExchanges(), 3);
