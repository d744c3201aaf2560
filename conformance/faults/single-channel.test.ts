import { ownExchanges } from '../shared/recordings.ts';
import { describeSingleChannel } from './single-channel.ts';
import { Answers } from './upstreams.ts';

describeSingleChannel(new Answers(ownExchanges()));
