import { ownExchanges } from './shared/recordings.ts';
import { testCutStreams } from './usage/cut-streams.ts';

testCutStreams(ownExchanges());
