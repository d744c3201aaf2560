import { ownExchanges } from '../shared/recordings.ts';
import { describeAllChannelsFailed } from './all-channels-failed.ts';
import { Answers } from './upstreams.ts';

describeAllChannelsFailed(new Answers(ownExchanges()));
