import { recordedExchanges } from '../../conformance/shared/recordings.ts';
import { testCutStreams } from '../../conformance/usage/cut-streams.ts';

testCutStreams(recordedExchanges());
